// Termination: each instantiated row decreases the documented order, alone and inside larger expressions. So does each
// step of the simplifier on random input.
#include "tests/rules/order.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/expr/rules.h"
#include "core/expr/simplify.h"
#include "tests/rules/instances.h"

using namespace tessera;

using instances::filled;

TEST_CASE("every row makes the order smaller, bare and in context") {
  const Expr d0 = Expr::digit(0), d1 = Expr::digit(1);
  const std::vector<std::vector<Expr>> fillings = {
      {d0, d1, d0 + d1},
      {d0 * 3 + d1, d1, d0},
      {floorDiv(d0, 5), mod(d1 + 9, 6), d0},
      {d0 ^ d1, d1 * 2 + 1, d0},
  };
  const i64 values[] = {1, 2, 3, 4, 6, 8, 12, 24, -1, -3, -8};
  for (const Rule& rule : rewriteRules()) {
    int tried = 0;
    for (const auto& exprs : fillings)
      for (const i64 a : values)
        for (const i64 b : values)
          for (const i64 c : values) {
            const std::vector<i64> constants = {a, b, c, /*g=*/a, /*k=*/c};
            if (!instances::constantsAllowed(rule, constants) || instances::dividesByOne(rule.from, constants))
              continue;
            if (!instances::worthTaking(rule, exprs, constants)) continue;
            const Expr from = filled(rule.from, exprs, constants), to = filled(rule.to, exprs, constants);
            if (from == to || from.op() != rule.from.op()) continue;  // never taken
            ++tried;
            INFO(rule.name << ": " << print(from) << "  ->  " << print(to));
            REQUIRE(order::measureOf(to) < order::measureOf(from));
            REQUIRE(order::measureOf(floorDiv(to * 3 + d1 + 1, 7)) < order::measureOf(floorDiv(from * 3 + d1 + 1, 7)));
            REQUIRE(order::measureOf(mod(to + d1, 5) ^ d0) < order::measureOf(mod(from + d1, 5) ^ d0));
          }
    INFO(rule.name);
    CHECK(tried >= 4);
  }
}

TEST_CASE("every floordiv and mod step of the simplifier on random input makes the order smaller") {
  std::mt19937_64 rng(4);
  Environment box;
  box.digits = {{0, 7}, {0, 11}, {0, 4}};
  const auto pick = [&](u64 n) { return static_cast<int>(rng() % n); };
  static constexpr i64 kConstants[] = {2, 3, 4, 5, 6, 8, 12, 16, 32, -1, -2, -7};
  std::size_t seen = 0;
  for (int round = 0; round < 3000; ++round) {
    Expr e = Expr::digit(pick(3));
    for (int k = pick(7) + 1; k > 0; --k) {
      const i64 c = kConstants[pick(12)];
      const Expr d = Expr::digit(pick(3));
      const int kind = pick(7);
      e = kind == 0   ? e * c + d
          : kind == 1 ? floorDiv(e, c)
          : kind == 2 ? mod(e, c)
          : kind == 3 ? (e ^ (d * c))
          : kind == 4 ? least(e, d * c + 2)
          : kind == 5 ? greatest(e + 3, d + 5)
                      : mod(floorDiv(e, 2), 4) * 4 + e + c;
    }
    std::vector<RewriteStep> steps;
    const Expr out = simplified(e, box, &steps);
    for (const RewriteStep& s : steps) {
      if (!order::divides(s.before)) continue;
      INFO("round " << round << " " << s.rule << ": " << print(s.before) << "  ->  " << print(s.after));
      REQUIRE(order::measureOf(s.after) < order::measureOf(s.before));
      ++seen;
    }
    REQUIRE(print(out).size() < 4000);
  }
  CHECK(seen > 2000);
}
