// All threads share expressions: one thread may revive a node while another releases it.
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "core/expr/expr.h"

using namespace tessera;

namespace {

// ((d0 + 3) * 5 xor 9) mod 7 and its like: nodes below others, destroyed with them.
Expr tower(int levels) {
  Expr e = Expr::digit(0);
  for (int k = 0; k < levels; ++k) e = mod((e + 3) * 5 ^ Expr::constant(9), 1000 + k);
  return e;
}

i64 towerAt(int levels, i64 x) {
  for (int k = 0; k < levels; ++k) x = (((x + 3) * 5) ^ 9) % (1000 + k);
  return x;
}

}  // namespace

TEST_CASE("an expression that dies in one thread and is built in another is whole in both") {
  constexpr int kThreads = 4, kRounds = 60'000;
  std::vector<int> wrong(kThreads, 0);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&wrong, t] {
        for (int round = 0; round < kRounds; ++round) {
          const int levels = 1 + round % 3;
          const i64 x = round % 17;
          if (evaluate(tower(levels), std::span(&x, 1)) != towerAt(levels, x)) ++wrong[static_cast<std::size_t>(t)];
        }
      });
    }
  }
  for (const int count : wrong) CHECK(count == 0);
}

TEST_CASE("a chain of a million nodes dies without recursion, whoever holds a piece of it") {
  Expr piece;
  {
    Expr e = Expr::digit(0);
    for (int k = 0; k < 1'000'000; ++k) {
      e = (k % 2 == 0 ? e ^ Expr::digit(1) : Expr::digit(2) ^ e);
      if (k == 500'000) piece = e;
    }
  }
  CHECK(piece.op() == Op::Xor);
  CHECK(piece.lhs().op() == Op::Xor);
}
