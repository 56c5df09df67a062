// The simplifier keeps values, is idempotent, and solves the expected examples.
#include "core/expr/simplify.h"

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "core/base/arith.h"

using namespace tessera;

namespace {

Environment boxOf(std::initializer_list<i64> extents) {
  Environment box;
  for (const i64 n : extents) box.digits.push_back({0, n - 1});
  return box;
}

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1), d2 = Expr::digit(2);

// A random expression over three digits whose divisors are never zero.
Expr randomExpr(std::mt19937_64& rng, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<u64>(n)); };
  if (depth == 0 || pick(6) == 0) return pick(4) == 0 ? Expr::constant(pick(41) - 20) : Expr::digit(pick(3));
  const Expr a = randomExpr(rng, depth - 1);
  static constexpr i64 kConstants[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64, -1, -2, -4, -7};
  const i64 c = kConstants[pick(16)];
  switch (pick(8)) {
    case 0:
      return a + randomExpr(rng, depth - 1);
    case 1:
      return a * c;
    case 2:
      return floorDiv(a, c);
    case 3:
      return mod(a, c);
    case 4:
      return a ^ randomExpr(rng, depth - 1);
    case 5:
      return least(a + c, randomExpr(rng, depth - 1));
    case 6:
      return greatest(a, pick(2) == 0 ? Expr::constant(c) : randomExpr(rng, depth - 1) + c);
    default:
      return a * c + randomExpr(rng, depth - 1);
  }
}

}  // namespace

TEST_CASE("the simplifier solves the known examples") {
  const Environment ten = boxOf({10, 10, 10});
  const Expr flat = d0 * 100 + d1 * 10 + d2;
  CHECK(simplified(floorDiv(flat, 100), ten) == d0);
  CHECK(simplified(floorDiv(mod(flat, 100), 10), ten) == d1);
  CHECK(simplified(mod(flat, 10), ten) == d2);
  // XLA's: -((-11 d0 - d1 + 109) floordiv 11) + 9 over [0,9] x [0,10] is d0.
  CHECK(simplified(floorDiv(d0 * -11 - d1 + 109, 11) * -1 + 9, boxOf({10, 11})) == d0);
  // XLA's: (d0 + d1 floordiv 16, d1 mod 16) over [0,6] x [0,14] is (d0, d1).
  CHECK(simplified(d0 + floorDiv(d1, 16), boxOf({7, 15})) == d0);
  CHECK(simplified(mod(d1, 16), boxOf({7, 15})) == d1);
  CHECK(simplified(floorDiv(d0, 4) * 4 + mod(d0, 4), boxOf({1000})) == d0);
  CHECK(simplified(mod(floorDiv(d0, 4), 8) * 4 + mod(d0, 4), boxOf({1000})) == mod(d0, 32));
  // Graphene's: (a * 128 + b) / 128 with b below 128 is a.
  CHECK(simplified(floorDiv(d0 * 128 + d1, 128), boxOf({8, 128})) == d0);
}

TEST_CASE("min and max fall away where the box decides, and shed what both sides have") {
  const Environment ten = boxOf({10, 10, 10});
  const auto c = [](i64 v) { return Expr::constant(v); };
  CHECK(simplified(least(d0, d0), ten) == d0);
  CHECK(simplified(least(d0, c(9)), ten) == d0);
  CHECK(simplified(greatest(d0, c(0)), ten) == d0);
  CHECK(simplified(least(d0, d0 + 1), ten) == d0);
  CHECK(simplified(greatest(d0 * 2 + d1, d0 * 2 + d1 - 3), ten) == d0 * 2 + d1);
  CHECK(simplified(least(least(d0, c(7)), c(5)), ten) == least(d0, c(5)));
  CHECK(simplified(least(least(d0, d1), d0), ten) == least(d0, d1));
  CHECK(simplified(least(d1, d0), ten) == least(d0, d1));
  CHECK(simplified(least(greatest(d0, d1), d1), ten) == d1);
  CHECK(simplified(least(d0 + d2, d1 + d2), ten) == d2 + least(d0, d1));
  CHECK(simplified(greatest(d0 + 3, d1 + 5), ten) == greatest(d0, d1 + 2) + 3);
  CHECK(simplified(least(d0 - 3, c(-1)), ten) == least(d0 - 2, c(0)) - 1);
  CHECK(simplified(mod(least(d0, c(5)), 8), ten) == least(d0, c(5)));
  CHECK(print(least(d0 + 1, greatest(d1, c(-2))) * 3) == "min(d0 + 1, max(d1, -2)) * 3");
}

TEST_CASE("xor prints so that C and we read it alike") {
  CHECK(print(d0 ^ (d1 * 8)) == "d0 xor (d1 * 8)");
  CHECK(print((d0 * 8 + d1) ^ d2) == "(d0 * 8 + d1) xor d2");
  CHECK(print(d0 ^ d1 ^ d2) == "d0 xor d1 xor d2");
  CHECK(print(d0 ^ (d1 ^ d2)) == "d0 xor (d1 xor d2)");
  CHECK(print((d0 ^ d1) + d2) == "(d0 xor d1) + d2");
}

TEST_CASE("a swizzle applied twice simplifies to nothing") {
  for (const int b : {1, 2, 3})
    for (const int m : {0, 3, 4})
      for (const int s : {3, 4}) {
        const auto swizzle = [&](const Expr& x) {
          return x ^ (mod(floorDiv(x, i64{1} << (m + s)), i64{1} << b) * (i64{1} << m));
        };
        const Environment box = boxOf({i64{1} << 20});
        CAPTURE(b, m, s);
        CHECK(simplified(swizzle(swizzle(d0)), box) == d0);
      }
}

TEST_CASE("simplified keeps the value at every point and is idempotent") {
  const u64 seed = 7;
  std::mt19937_64 rng(seed);
  const Environment box = boxOf({5, 8, 3});
  for (int round = 0; round < 4000; ++round) {
    const Expr e = randomExpr(rng, 4);
    const Expr s = simplified(e, box);
    INFO("seed " << seed << " round " << round << ": " << print(e) << "  ->  " << print(s));
    REQUIRE(simplified(s, box) == s);
    for (i64 i = 0; i < 5; ++i)
      for (i64 j = 0; j < 8; ++j)
        for (i64 k = 0; k < 3; ++k) {
          const i64 p[] = {i, j, k};
          REQUIRE(evaluate(e, p) == evaluate(s, p));
        }
  }
}

TEST_CASE("facts are sound at every point of the box") {
  std::mt19937_64 rng(11);
  const Environment box = boxOf({5, 8, 3});
  for (int round = 0; round < 4000; ++round) {
    const Expr e = randomExpr(rng, 4);
    const Facts f = factsOf(e, box);
    INFO(print(e));
    REQUIRE(f.fits);
    for (i64 i = 0; i < 5; ++i)
      for (i64 j = 0; j < 8; ++j)
        for (i64 k = 0; k < 3; ++k) {
          const i64 p[] = {i, j, k};
          const i64 v = evaluate(e, p);
          REQUIRE(f.interval.lo <= v);
          REQUIRE(v <= f.interval.hi);
          REQUIRE((f.modulus == 0 ? v == f.remainder : floorMod(v - f.remainder, f.modulus) == 0));
          REQUIRE((static_cast<u64>(v) & f.zeros) == 0);
          REQUIRE((static_cast<u64>(v) & f.ones) == f.ones);
        }
  }
}

TEST_CASE("facts report overflow and division by zero instead of wrapping") {
  const Environment box = boxOf({i64{1} << 40, i64{1} << 40});
  CHECK_FALSE(factsOf(d0 * d1, box).fits);
  CHECK(factsOf(d0 * (i64{1} << 20), box).fits);
  CHECK_FALSE(factsOf(floorDiv(d0, d1), box).fits);
}

TEST_CASE("a chain of 100,000 sums is built, evaluated, simplified and destroyed without recursion") {
  Expr e = d0;
  for (int k = 0; k < 100000; ++k) e = (e ^ Expr::constant(k + 1)) + 1;
  const i64 p[] = {3};
  CHECK(evaluate(e, p) > 0);
  CHECK(nodeCount(e) > 100000);
}

TEST_CASE("a constant near the smallest int64 beside a divisor that does not divide it", "[expr]") {
  // Rounded down to a multiple of the divisor, the constant is no int64.
  const i64 lowest = std::numeric_limits<i64>::min();
  for (const i64 constant : {lowest, lowest + 1, lowest + 2})
    for (const i64 divisor : {3, 5, 7, 1000}) {
      const Expr x = Expr::digit(0);
      const Environment box{{{0, 9}}, {}};
      for (const Expr& e :
           {floorDiv(x + Expr::constant(constant), divisor), mod(x + Expr::constant(constant), divisor)})
        for (i64 at = 0; at <= 9; ++at) {
          INFO(print(e) << " at " << at);
          CHECK(evaluate(simplified(e, box), std::vector<i64>{at}) == evaluate(e, std::vector<i64>{at}));
        }
    }
}
