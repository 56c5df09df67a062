// Recognition of swizzled layouts: each answer agrees at every point, and no swizzle expresses a refused map.
#include "core/map/forms/swizzled.h"

#include <bit>
#include <catch2/catch.hpp>
#include <random>

#include "core/base/arith.h"
#include "core/map/forms/recognise.h"
#include "core/map/tabulate.h"

using namespace tessera;

namespace {

using Ints = std::vector<i64>;

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1);

Map mapOf(const Ints& extents, const Expr& axis) {
  std::vector<Digit> digits;
  for (std::size_t k = 0; k < extents.size(); ++k)
    digits.push_back({"i" + std::to_string(k), extents[k], DigitKind::Index});
  auto m = Map::create(digits, {{"offset", axis, std::nullopt}});
  if (!m) FAIL(m.error().message);
  return *m;
}

Expr swizzle(int b, int m, int s, const Expr& x) {
  if (b == 0) return x;
  return x ^ (mod(floorDiv(x, i64{1} << (m + std::max(0, s))), i64{1} << b) * (i64{1} << (m + std::max(0, -s))));
}
i64 swizzle(int b, int m, int s, i64 x) {
  const i64 run = (i64{1} << b) - 1;
  return x ^ (((x >> (m + std::max(0, s))) & run) << (m + std::max(0, -s)));
}

Ints extentsOf(const Map& m) {
  Ints extents;
  for (const Digit& d : m.digits()) extents.push_back(d.extent);
  return extents;
}

// What the answer says at a point, by its own words.
i64 valueOf(const Swizzled& w, const Ints& point) {
  i64 sum = w.offset;
  for (std::size_t k = 0; k < point.size(); ++k) {
    i64 rest = point[k];
    for (const SwizzleLeaf& leaf : w.digits[k]) {
      sum += rest % leaf.extent * leaf.stride;
      rest /= leaf.extent;
    }
  }
  return swizzle(w.bits, w.base, w.shift, sum);
}

// Texts are made only for what fails: making them takes longer than checking.
bool agreesEverywhere(const Map& m, const Swizzled& w) {
  const Ints extents = extentsOf(m);
  if (w.digits.size() != extents.size()) return false;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    i64 product = 1;
    for (const SwizzleLeaf& leaf : w.digits[k]) product *= leaf.extent;
    if (product != extents[k]) return false;
  }
  Ints table(static_cast<std::size_t>(*m.pointCount()));
  if (!tabulate(m, 0, LinearOrder::Colex, table)) return false;
  for (std::size_t n = 0; n < table.size(); ++n)
    if (valueOf(w, delinearize(static_cast<i64>(n), extents, LinearOrder::Colex)) != table[n]) return false;
  return true;
}
void agrees(const Map& m, const Swizzled& w) {
  if (agreesEverywhere(m, w)) return;
  INFO(print(m));
  INFO("Sw<" << w.bits << "," << w.base << "," << w.shift << "> offset " << w.offset);
  FAIL("it does not say what the map says");
}

// By tables, for extents that are powers of two: some swizzle of at most `width` bits leaves a sum over the bits.
bool someSwizzleFits(const Map& m, int width) {
  const Ints extents = extentsOf(m);
  Ints table;
  for (i64 n = 0; n < *m.pointCount(); ++n) table.push_back(m.at(delinearize(n, extents, LinearOrder::Colex))[0]);
  const auto fits = [&](int b, int base, int s) {
    Ints inner;
    for (const i64 v : table) inner.push_back(swizzle(b, base, s, v));
    for (std::size_t n = 1; n < inner.size(); ++n) {
      const std::size_t low = n & (n - 1), bit = n ^ low;
      if (inner[n] - inner[low] != inner[bit] - inner[0]) return false;
    }
    return true;
  };
  if (fits(0, 0, 0)) return true;
  for (int b = 1; b <= width; ++b)
    for (int base = 0; base <= width; ++base)
      for (int s = b; s <= width; ++s)
        if (fits(b, base, s) || fits(b, base, -s)) return true;
  return false;
}

std::string refusal(const Map& m) {
  const auto w = asSwizzled(m);
  return w.ok() ? "recognised" : w.error().message;
}

}  // namespace

TEST_CASE("the smallest layouts and the well known ones") {
  using Leaves = std::vector<SwizzleLeaf>;
  CHECK(*asSwizzled(mapOf({1}, Expr())) == Swizzled{0, 0, 0, 0, {Leaves{{1, 0}}}});
  CHECK(*asSwizzled(mapOf({3, 5}, d0 * 5 + d1 * -1 + 7)) == Swizzled{0, 0, 0, 7, {Leaves{{3, 5}}, Leaves{{5, -1}}}});
  CHECK(*asSwizzled(mapOf({8, 64}, swizzle(3, 3, 3, d0 * 64 + d1))) ==
        Swizzled{3, 3, 3, 0, {Leaves{{8, 64}}, Leaves{{64, 1}}}});
  CHECK(*asSwizzled(mapOf({8, 64}, d0 * 64 + ((floorDiv(d1, 8) ^ d0) * 8) + mod(d1, 8))) ==
        Swizzled{3, 3, 3, 0, {Leaves{{8, 64}}, Leaves{{64, 1}}}});
  CHECK(*asSwizzled(mapOf({4}, mod(d0, 2) + floorDiv(d0, 2) * 8)) == Swizzled{0, 0, 0, 0, {Leaves{{2, 1}, {2, 8}}}});
  CHECK(*asSwizzled(mapOf({12}, mod(d0, 3) + floorDiv(d0, 3) * 8)) == Swizzled{0, 0, 0, 0, {Leaves{{3, 1}, {4, 8}}}});
  // Rows that carry into the swizzled bits, rows that are no power of two in number.
  CHECK(*asSwizzled(mapOf({64, 64}, swizzle(3, 3, 3, d0 * 72 + d1))) ==
        Swizzled{3, 3, 3, 0, {Leaves{{64, 72}}, Leaves{{64, 1}}}});
  CHECK(*asSwizzled(mapOf({6, 64}, d0 * 64 + ((floorDiv(d1, 8) ^ d0) * 8) + mod(d1, 8))) ==
        Swizzled{3, 3, 3, 0, {Leaves{{6, 64}}, Leaves{{64, 1}}}});
}

TEST_CASE("every swizzle of every small power-of-two layout is recognised, with no more bits than it was made with") {
  int seen = 0;
  for (int b = 0; b <= 2; ++b)
    for (int m = 0; m <= 2; ++m)
      for (int s = -3; s <= 3; ++s) {
        if (std::abs(s) < b) continue;
        for (const i64 x : {1, 2, 4, 8})
          for (const i64 y : {1, 2, 8})
            for (const i64 p : {0, 1, 4, 16})
              for (const i64 q : {0, 1, 3, 32})
                for (const i64 offset : {0, 5}) {
                  if ((x == 1 && p != 1) || (y == 1 && q != 1)) continue;
                  const Map map = mapOf({x, y}, swizzle(b, m, s, d0 * p + d1 * q + offset));
                  const auto w = asSwizzled(map);
                  if (!w.ok() || w->bits > b) FAIL(print(map) << ": " << refusal(map));
                  agrees(map, *w);
                  ++seen;
                }
      }
  CHECK(seen > 5000);
}

TEST_CASE("layouts of any extents under a swizzle, with leaves and carries") {
  std::mt19937_64 rng(11);
  int carried = 0;
  for (int n = 0; n < 400; ++n) {
    const i64 a = static_cast<i64>(2 + rng() % 3), b = static_cast<i64>(2 + rng() % 3);
    const i64 c = static_cast<i64>(1 + rng() % 7);
    Expr sum = mod(d0, a) * static_cast<i64>(rng() % 20) + floorDiv(d0, a) * static_cast<i64>(rng() % 40) +
               d1 * static_cast<i64>(rng() % 30) + static_cast<i64>(rng() % 4);
    const int bits = static_cast<int>(rng() % 3), shift = bits + static_cast<int>(rng() % 3);
    const Map map = mapOf({a * b, c}, swizzle(bits, static_cast<int>(rng() % 3), rng() % 4 == 0 ? -shift : shift, sum));
    const auto w = asSwizzled(map);
    INFO(print(map));
    INFO(refusal(map));
    REQUIRE(w.ok());
    agrees(map, *w);
    carried += w->bits > 0 && !asF2(map).ok();
  }
  CHECK(carried > 100);
}

TEST_CASE("random bit matrices: recognised exactly when some swizzle leaves a sum") {
  std::mt19937_64 rng(13);
  int yes = 0, no = 0;
  for (int n = 0; n < 1500; ++n) {
    const Ints extents = {i64{1} << rng() % 3, i64{1} << (1 + rng() % 2)};
    Expr e = Expr::constant(static_cast<i64>(rng() % 3));
    for (std::size_t t = 0; t < 2 + rng() % 4; ++t) {
      // Each draw in a statement of its own: operands are evaluated in an order that compilers choose, and two chose
      // differently.
      const Expr d = Expr::digit(static_cast<int>(rng() % 2));
      const i64 from = i64{1} << rng() % 2;
      const i64 width = i64{1} << (1 + rng() % 2);
      e = e ^ (mod(floorDiv(d, from), width) * (i64{1} << rng() % 4));
    }
    const Map m = mapOf(extents, e);
    const auto w = asSwizzled(m);
    INFO(print(m));
    INFO(refusal(m));
    REQUIRE(w.ok() == someSwizzleFits(m, 6));
    if (w.ok()) agrees(m, *w);
    ++(w.ok() ? yes : no);
  }
  CHECK(yes > 300);
  CHECK(no > 100);
}

TEST_CASE("refusals say why") {
  CHECK(refusal(mapOf({4, 4}, d0 ^ d1)).find("no swizzle Sw<B,M,S>") == 0);
  CHECK(refusal(mapOf({3, 5}, floorDiv(d0, 2) * 12 + mod(d0, 2) * 2 + floorDiv(d1, 2) * 4 + mod(d1, 2)))
            .find("split unevenly") != std::string::npos);
  CHECK(refusal(mapOf({12, 12}, mod(d0 + d1, 12) * 3)).find("carries") != std::string::npos);
  const auto two = Map::create({{"i", 4, DigitKind::Index}}, {{"a", d0, {}}, {"b", d0, {}}});
  CHECK(refusal(*two) == "it has 2 axes, but a layout gives one number");
}
