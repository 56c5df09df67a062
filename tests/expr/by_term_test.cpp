// Products of terms and symbolic divisors: ordering, merging of digits, extraction of multiples. Compared with
// evaluation at every point of the box, for divisors of either sign.
#include <catch2/catch.hpp>
#include <random>

#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/sum_rules.h"

using namespace tessera;

namespace {

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1), above = Expr::digit(2), below = Expr::digit(3);

// d0 and d1 of any sign.
const Environment kBox{{{-5, 9}, {-2, 3}, {1, 4}, {-3, -2}}, {}};

template <typename Visit>
void atEveryPoint(const Environment& box, Visit visit) {
  std::vector<i64> at;
  for (const Range& r : box.digits) at.push_back(r.lo);
  for (;;) {
    visit(at);
    std::size_t k = 0;
    for (; k < at.size() && ++at[k] > box.digits[k].hi; ++k) at[k] = box.digits[k].lo;
    if (k == at.size()) return;
  }
}

void sameEverywhere(const Expr& a, const Expr& b) {
  INFO(print(a) << "   and   " << print(b));
  i64 apart = 0;
  atEveryPoint(kBox, [&](const std::vector<i64>& at) { apart += evaluate(a, at) == evaluate(b, at) ? 0 : 1; });
  REQUIRE(apart == 0);
}

struct Dice {
  std::mt19937_64 rng;
  i64 pick(i64 sides) { return static_cast<i64>(rng() % static_cast<u64>(sides)); }
};

// Sums, products and digits, as the rows want them and a little beside.
Expr randomTerm(Dice& dice, int depth) {
  const std::vector<Expr> leaves = {d0, d1, above, below};
  const i64 constants[] = {2, 3, 4, 6, -1, -2, 5};
  if (depth == 0) return leaves[static_cast<std::size_t>(dice.pick(4))];
  const Expr a = randomTerm(dice, depth - 1);
  const Expr b = randomTerm(dice, depth - 1);
  const i64 c = constants[dice.pick(7)];
  const std::vector<Expr> divisors = {above, below, above + 1, below * 2, above * below, above * 3};
  const Expr by = divisors[static_cast<std::size_t>(dice.pick(6))];
  switch (dice.pick(10)) {
    case 0:
      return a * b;
    case 1:
      return a * c + b;
    case 2:
      return floorDiv(a * by + b, by);
    case 3:
      return mod(a * by + b * c, by);
    case 4:
      return floorDiv(a, 4) * c * 4 * b + mod(a, 4) * b * c;
    case 5:
      return mod(floorDiv(a, 2), 3) * b * 2 + b * mod(a, 2);
    case 6:
      return a * b - floorDiv(a, 3) * b * 3;
    case 7:
      return floorDiv(a, by) * by + mod(a, by);
    case 8:
      return floorDiv(a, by) + c;
    default:
      return mod(a, by) * b;
  }
}

}  // namespace

TEST_CASE("a product is one term, whatever order it was written in") {
  const std::vector<Expr> same = {(d0 * 4) * above, above * (d0 * 4), (above * d0) * 4, d0 * (above * 4),
                                  (above * 2) * (d0 * 2)};
  for (const Expr& e : same) {
    INFO(print(e));
    CHECK(print(simplified(e, kBox)) == "d0 * d2 * 4");
    CHECK(simplified(e - same[0], kBox).isConstant(0));
  }
  const Expr stride = Expr::param(0);
  const Environment box{{{0, 9}}, {{1, 100}}};
  CHECK(print(simplified(stride * (d0 + 3), box)) == "(d0 + 3) * p0");  // the stride is on the right
  const auto p = factorsOf((d0 * 4) * (above * -3) * d0);
  REQUIRE(p);
  CHECK(p->coefficient == -12);
  CHECK(p->factors == std::vector<Expr>{d0, d0, above});
  CHECK(productOf(p->factors) == d0 * d0 * above);
  CHECK(productOf({}).isConstant(1));
  CHECK(without(p->factors, {d0}) == std::vector<Expr>{d0, above});
  CHECK_FALSE(without(p->factors, {above, above}));
  Expr power = d0;
  for (int k = 0; k < 40; ++k) power = power * power;  // 2^40 factors, 41 nodes
  CHECK_FALSE(factorsOf(power));
  CHECK(nodeCount(simplified(power, {{{0, 1}}, {}})) < 60);
}

TEST_CASE("digits of a number times a term are the number times the term") {
  const auto is = [](const Expr& e, std::string_view text) {
    const Expr got = simplified(e, kBox);
    CHECK(print(got) == text);
    CHECK(simplified(got, kBox) == got);
    sameEverywhere(e, got);
  };
  is(floorDiv(d0, 4) * 4 * above + mod(d0, 4) * above, "d0 * d2");
  is(above * (floorDiv(d0, 4) * 8) + (mod(d0, 4) * 2) * above + d1, "d1 + d0 * d2 * 2");
  is(floorDiv(d0, 4) * -4 * below - mod(d0, 4) * below, "d0 * d3 * (-1)");
  is(floorDiv(d0 + d1, 3) * 3 * above + mod(d0 + d1, 3) * above, "(d0 + d1) * d2");
  is(mod(floorDiv(d0, 3), 2) * 3 * above + mod(d0, 3) * above, "d0 mod 6 * d2");
  is(d0 * above - floorDiv(d0, 4) * 4 * above, "d0 mod 4 * d2");
  is(d0 * above + d1 * above - floorDiv(d0 + d1, 4) * 4 * above, "(d0 + d1) mod 4 * d2");
  is((d0 + d1) * above - floorDiv(d0 + d1, 4) * 4 * above, "(d0 + d1) mod 4 * d2");
  is(floorDiv(d0, above) * above + mod(d0, above), "d0");
  is(floorDiv(d0, above * 2) * above * 2 + mod(d0, above * 2), "d0");
  is(floorDiv(d0, above + 1) * (above + 1) * d1 + d1 * mod(d0, above + 1), "d0 * d1");
  is(floorDiv(d0, 4) * 4 * above + mod(d0, 4) * below,
     "d0 floordiv 4 * d2 * 4 + d0 mod 4 * d3");  // two different factors
  is(floorDiv(d0, below) * below + mod(d0, below),
     "d0 floordiv d3 * d3 + d0 mod d3");  // below 0, mod is no rest of a floor
}

TEST_CASE("multiples of a divisor that is no number come out where it cannot be 0") {
  const auto is = [](const Expr& e, std::string_view text) {
    CHECK(print(simplified(e, kBox)) == text);
    sameEverywhere(e, simplified(e, kBox));
  };
  is(mod(above, above), "0");
  is(floorDiv(below, below), "1");
  is(mod(above + 1, above + 1), "0");
  is(floorDiv((above + 1) * -2, above + 1), "-2");
  is(floorDiv(d0 * above + d1, above), "d0 + d1 floordiv d2");
  is(mod(d0 * below + d1, below), "d1 mod d3");
  is(floorDiv(above * below * d0, below * above), "d0");
  is(mod(d0 * (above + 1) + d1, above + 1), "d1 mod (d2 + 1)");
  is(mod(d0 * above * 3, above * 2), "d0 * d2 * 3 mod (d2 * 2)");  // three halves are no multiple
  // d1 may be 0, where neither has a value: nothing is said.
  CHECK(simplified(mod(d1, d1), kBox) == mod(d1, d1));
  CHECK(simplified(floorDiv(d1, d1), kBox) == floorDiv(d1, d1));
  FactBase facts(kBox);
  CHECK_FALSE(byTerm(floorDiv(d0, above), facts));
  is(mod(above, above + 1), "d2");
  is(floorDiv(above, above * 4 + 1), "0");
  is(floorDiv(above + 6, above + 1), "5 floordiv (d2 + 1) + 1");
  is(floorDiv(d0 + above, d0 + above + 20), "(d0 + d2) floordiv (d0 + d2 + 20)");  // the sum may be negative
  const Expr least = d0 * INT64_MIN;
  const Environment unit{{{0, 1}, {0, 1}, {1, 1}}, {}};
  CHECK(evaluate(simplified(floorDiv(least, above * -1), unit), std::vector<i64>{0, 0, 1}) == 0);
}

TEST_CASE("random sums of products and of digits by terms keep their values") {
  Dice dice{std::mt19937_64(16)};
  std::size_t smaller = 0;
  for (int round = 0; round < 3000; ++round) {
    const Expr e = randomTerm(dice, 2);
    if (!factsOf(e, kBox).fits) continue;  // a divisor that may be 0
    const Expr got = simplified(e, kBox);
    INFO("round " << round);
    sameEverywhere(e, got);
    REQUIRE(simplified(got, kBox) == got);
    smaller += nodeCount(got) < nodeCount(e) ? 1 : 0;
  }
  CHECK(smaller > 1500);
}
