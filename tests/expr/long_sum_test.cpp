// Sums of thousands of terms: simplification ends, and its cost is counted in steps (core/base/work_budget.h).
#include <atomic>
#include <catch2/catch.hpp>
#include <random>

#include "core/base/work_budget.h"
#include "core/expr/simplify.h"

using namespace tessera;

namespace {

Expr fieldSum(int terms) {
  Expr e;
  for (int k = 2; k < terms + 2; ++k) e = e + mod(floorDiv(Expr::digit(0), k), k + 1);
  return e;
}

std::int64_t stepsOf(const Expr& e, const Environment& box) {
  const WorkBudget limit({});
  (void)simplified(e, box);
  return limit.used();
}

}  // namespace

TEST_CASE("a long sum has the value that it had") {
  std::mt19937 random(1);
  const Environment box{{{0, 99}, {0, 40}}, {}};
  for (int round = 0; round < 60; ++round) {
    Expr e;
    for (int k = 0; k < 50 + round; ++k) {
      const Expr x = Expr::digit(static_cast<int>(random() % 2));
      const i64 c = 2 + static_cast<i64>(random() % 6), s = static_cast<i64>(random() % 9) - 4;
      const Expr part = random() % 3 == 0 ? x : random() % 2 == 0 ? mod(x, c) : floorDiv(x, c);
      e = random() % 2 == 0 ? e + part * s : part * s + e;
    }
    const Expr s = simplified(e, box);
    CHECK(simplified(s, box) == s);
    for (i64 a = 0; a < 100; a += 7)
      for (i64 b = 0; b <= 40; b += 3)
        CHECK(evaluate(s, std::vector<i64>{a, b}) == evaluate(e, std::vector<i64>{a, b}));
  }
}

TEST_CASE("like terms of a long sum meet, whatever its length") {
  const Environment box{{{0, 99}}, {}};
  for (const int terms : {2, 63, 64, 65, 1000}) {
    Expr e;
    for (int k = 0; k < terms; ++k) e = e + Expr::digit(0) * 3 + 1;
    CHECK(simplified(e, box) == Expr::digit(0) * (3 * terms) + Expr::constant(terms));
    Expr digits;
    for (int k = 0; k < terms; ++k) digits = digits + floorDiv(Expr::digit(0), 8) * 8 + mod(Expr::digit(0), 8);
    CHECK(simplified(digits, box) == Expr::digit(0) * terms);
  }
}

TEST_CASE("simplifying a sum costs no more than the square of its terms") {
  const Environment box{{{0, 100'000'000}}, {}};
  const std::int64_t small = stepsOf(fieldSum(250), box), large = stepsOf(fieldSum(1000), box);
  CHECK(large <= 20 * small);  // sixteen times, not sixty-four
}

TEST_CASE("simplifying ends within the steps that it is given") {
  const Environment box{{{0, 100'000'000}}, {}};
  const std::atomic<bool> cancel = true;
  for (const int terms : {100, 5000}) {
    const Expr e = fieldSum(terms);
    for (const std::int64_t steps : {0, 100, 5000}) {
      const WorkBudget limit({.steps = steps});
      CHECK_THROWS_AS(simplified(e, box), OutOfBudget);
      CHECK(limit.used() <= steps + 2 * terms);  // one charge may be as large as the sum
    }
    const WorkBudget cancelled({.cancel = &cancel});
    CHECK_THROWS_AS(simplified(e, box), OutOfBudget);
  }
}
