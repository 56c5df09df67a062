// A compiled program gives the results of the obvious evaluator: for one point, whole blocks, every kind of line.
#include "core/expr/compile.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/expr/facts.h"

using namespace tessera;

namespace {

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1);

// Checks run and runBlock against evaluate on `count` points drawn from the ranges.
void sameOnPoints(const Expr& e, const std::vector<Range>& ranges, std::size_t count, std::mt19937_64& rng) {
  const Program program = Program::compile(e);
  std::vector<std::vector<i64>> columns(ranges.size(), std::vector<i64>(count));
  std::vector<const i64*> pointers;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    std::uniform_int_distribution<i64> draw(ranges[k].lo, ranges[k].hi);
    for (i64& v : columns[k]) v = draw(rng);
    pointers.push_back(columns[k].data());
  }
  std::vector<i64> out(count), scratch;
  program.runBlock(pointers, {}, count, out.data(), scratch);
  std::vector<i64> point(ranges.size());
  INFO(print(e).substr(0, 300));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < ranges.size(); ++k) point[k] = columns[k][i];
    const i64 want = evaluate(e, point);
    REQUIRE(program.run(point) == want);
    REQUIRE(out[i] == want);
  }
}

}  // namespace

TEST_CASE("floordiv and mod by every constant, for values of either sign up to the ends of 64 bits") {
  std::mt19937_64 rng(1);
  const std::vector<Range> ranges[] = {
      {{-40, 40}}, {{INT64_MIN, INT64_MAX}}, {{INT64_MAX - 9, INT64_MAX}}, {{INT64_MIN, INT64_MIN + 9}}};
  std::vector<i64> divisors = {2,
                               3,
                               4,
                               5,
                               6,
                               7,
                               9,
                               10,
                               25,
                               64,
                               1000,
                               4095,
                               4097,
                               INT64_MAX,
                               INT64_MAX - 1,
                               i64{1} << 62,
                               (i64{1} << 62) + 1,
                               (i64{1} << 61) - 1,
                               (i64{1} << 33) + 1,
                               -3,
                               -8};
  for (int k = 0; k < 40; ++k) divisors.push_back(static_cast<i64>((rng() >> 1) >> (rng() % 60)) + 2);
  for (const i64 c : divisors)
    for (const auto& r : ranges) {
      sameOnPoints(floorDiv(d0, c), r, 41, rng);
      sameOnPoints(mod(d0, c), r, 41, rng);
    }
}

TEST_CASE("blocks of every length, also the odd ones, and constant and single-digit programs") {
  std::mt19937_64 rng(2);
  const Expr exprs[] = {Expr::constant(7),
                        d0,
                        d0 + d1,
                        d0 * d1,
                        d0 ^ d1,
                        d0 + 5,
                        d0 * 3,
                        d0 * 8,
                        d0 * -4,
                        d0 ^ Expr::constant(21),
                        floorDiv(d0, 16),
                        mod(d0, 16),
                        floorDiv(d0, d1),
                        mod(d0, d1),
                        Expr::constant(3) + d0 * -1,
                        least(d0, d1),
                        greatest(d0, d1),
                        least(d0, Expr::constant(-3)),
                        greatest(d0, Expr::constant(7)) + d1,
                        (d0 + d1) * (d0 ^ d1),
                        d0 ^ (mod(floorDiv(d0, 64), 8) * 8)};
  for (const Expr& e : exprs)
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, std::size_t{511}, Program::kBlock})
      sameOnPoints(e, {{-1000, 1000}, {1, 50}}, count, rng);
}

TEST_CASE("random programs share and reuse registers without mixing values up") {
  std::mt19937_64 rng(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<Expr> pool = {d0, d1, Expr::constant(3)};
    for (int k = 0; k < 25; ++k) {
      const Expr a = pool[rng() % pool.size()], b = pool[rng() % pool.size()];
      const i64 c = static_cast<i64>(rng() % 30) + 2;
      switch (rng() % 8) {
        case 0:
          pool.push_back(mod(a + b, 1000));
          break;
        case 1:
          pool.push_back(mod(a * b, 977));
          break;
        case 2:
          pool.push_back(floorDiv(a, c));
          break;
        case 3:
          pool.push_back(mod(a, c) - b);
          break;
        case 4:
          pool.push_back(mod(a ^ b, 512));
          break;
        case 5:
          pool.push_back(least(a, b));
          break;
        case 6:
          pool.push_back(greatest(a, Expr::constant(c)));
          break;
        default:
          pool.push_back(mod(a * -c, 1009));
      }
    }
    sameOnPoints(pool.back(), {{-50, 50}, {0, 200}}, 13, rng);
  }
}

TEST_CASE("a chain of 100,000 lines needs a handful of registers") {
  Expr e = d0;
  for (int k = 0; k < 100000; ++k) e = mod(e ^ Expr::constant(k + 1), 1 << 20) + d1;
  const Program program = Program::compile(e);
  CHECK(program.registerCount() <= 4);
  const i64 point[] = {3, 5};
  CHECK(program.run(point) == evaluate(e, point));
}

TEST_CASE("parameters are read by index") {
  const Expr e = d0 * Expr::param(1) + Expr::param(0);
  const i64 digits[] = {5}, params[] = {7, 100};
  CHECK(Program::compile(e).run(digits, params) == 507);
  std::vector<i64> out(2), scratch;
  const i64 column[] = {5, 6};
  const i64* columns[] = {column};
  Program::compile(e).runBlock(columns, params, 2, out.data(), scratch);
  CHECK(out == std::vector<i64>{507, 607});
}
