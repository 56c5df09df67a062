// Inverses of every kind of map: several axes, guards, replicas, huge boxes; as functions and as formulas.
#include "core/map/inverse/inverse.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "core/map/compose.h"

using namespace tessera;

namespace {

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1), d2 = Expr::digit(2);

Map mapOf(const std::vector<i64>& extents, const std::vector<Expr>& axes, std::vector<Guard> guards = {}) {
  std::vector<Digit> digits;
  std::vector<Axis> named;
  for (std::size_t k = 0; k < extents.size(); ++k)
    digits.push_back({"i" + std::to_string(k), extents[k], DigitKind::Index});
  for (std::size_t k = 0; k < axes.size(); ++k) named.push_back({"x" + std::to_string(k), axes[k], std::nullopt});
  auto m = Map::create(digits, named, std::move(guards));
  REQUIRE(m.ok());
  return *m;
}

Expr swizzle(const Expr& x) { return x ^ (mod(floorDiv(x, 64), 8) * 8); }

struct Sample {
  Map map;
  std::string method;
};

std::vector<Sample> injective() {
  return {
      {mapOf({4, 8}, {d0 * 8 + d1}), "strided"},
      {mapOf({4, 8}, {d0 * 10 + d1 + 3}), "strided"},                     // holes and an offset
      {mapOf({4, 8}, {d0 * -8 + d1 + 24}), "strided"},                    // a digit that counts down
      {mapOf({6, 5, 3}, {d1 + d2 * 5, d0}), "strided"},                   // two axes
      {mapOf({4, 8}, {d0 * 8 + d1}, {{d0 * 8 + d1, 0, 20}}), "strided"},  // padding is not found
      {mapOf({8, 64}, {swizzle(d0 * 64 + d1)}), "F2"},
      {mapOf({8, 64}, {swizzle(d0 * 64 + d1) ^ Expr::constant(21)}), "F2"},
      {mapOf({32}, {mod(d0, 4), floorDiv(d0, 4)}), "F2"},  // (lane, row)
      {mapOf({4, 8}, {d0 * 64 + d1 * 2}, {{d1, 0, 5}}), "strided"},
      {mapOf({8, 16}, {(d0 ^ d1) + d1 * 16}), "F2"},
      {mapOf({12}, {mod(d0, 3), floorDiv(d0, 3) * 2 + 5}), "strided"},          // the digit is cut by 3
      {mapOf({5, 3}, {floorDiv(d0, 2) * 8 + mod(d0, 2) * 4 + d1}), "strided"},  // an uneven cut is a guard
      {mapOf({9}, {mod(floorDiv(d0, 2), 2) * 7 + mod(d0, 2) + floorDiv(d0, 4) * 20}), "strided"},
      {mapOf({6, 64}, {swizzle(d0 * 64 + d1)}), "swizzle, strided"},      // 6 is no power of two
      {mapOf({8, 64}, {swizzle(d0 * 72 + d1 + 5)}), "swizzle, strided"},  // padded rows: sums carry
      {mapOf({3, 5}, {swizzle(floorDiv(d0, 2) * 200 + mod(d0, 2) * 70 + d1)}), "swizzle, strided"},
      {mapOf({3, 3}, {(d0 * 2 + floorDiv(d0, 2)) ^ ((d0 * 2 + floorDiv(d0, 2)) * 16), d1}), "swizzle, strided"},
      {mapOf({3, 2}, {d0 * 2 + d1 * 3}), "table"},  // strides 2 and 3 do not nest
      {mapOf({12, 10}, {mod(d0 + d1, 12) * 10 + d1}), "table"},
      {mapOf({12, 10}, {floorDiv(d0, 2) * 10 + d1}, {{mod(d0, 2), 0, 0}}), "table"},  // injective on real points only
  };
}

std::vector<i64> extentsOf(const Map& m) {
  std::vector<i64> extents;
  for (const Digit& d : m.digits()) extents.push_back(d.extent);
  return extents;
}

}  // namespace

TEST_CASE("find is the inverse on real points and nothing elsewhere") {
  for (const Sample& s : injective()) {
    INFO(print(s.map));
    const auto inv = inverse(s.map);
    REQUIRE(inv.ok());
    CHECK((*inv)->method() == s.method);
    std::vector<std::vector<i64>> image;
    for (i64 n = 0; n < *s.map.pointCount(); ++n) {
      const auto p = delinearize(n, extentsOf(s.map), LinearOrder::Colex);
      if (!s.map.isReal(p)) continue;
      const auto back = (*inv)->find(s.map.at(p));
      REQUIRE(back.has_value());
      REQUIRE(*back == p);
      image.push_back(s.map.at(p));
    }
    std::sort(image.begin(), image.end());
    const i64 second = s.map.axes().size() == 2 ? 40 : 0;
    for (i64 x = -20; x < 600; ++x)
      for (i64 y = -20 * (second != 0); y <= second; ++y) {
        std::vector<i64> place{x};
        if (second != 0) place.push_back(y);
        const bool hit = std::binary_search(image.begin(), image.end(), place);
        REQUIRE((*inv)->find(place).has_value() == hit);
      }
  }
}

TEST_CASE("the formula of an inverse gives every real point back, and its guards hold exactly at the image") {
  std::vector<Sample> all = injective();
  all.push_back({mapOf({4, 8}, {d0 * -8 + d1}), "strided"});  // negative places
  all.push_back({mapOf({12}, {mod(d0, 3), floorDiv(d0, 3) * 2 - 5}), "strided"});
  int formulas = 0;
  for (const Sample& s : all) {
    INFO(print(s.map));
    const auto inv = inverse(s.map);
    REQUIRE(inv.ok());
    const auto f = (*inv)->formula();
    REQUIRE(f.ok() == (s.method != "table"));
    if (!f) continue;
    ++formulas;
    const auto holds = [&](const std::vector<i64>& place) {
      return std::all_of(f->guards.begin(), f->guards.end(), [&](const Guard& g) {
        const i64 value = evaluate(g.value, place);
        return value >= g.lo && value <= g.hi;
      });
    };
    i64 real = 0;
    for (i64 n = 0; n < *s.map.pointCount(); ++n) {
      const auto p = delinearize(n, extentsOf(s.map), LinearOrder::Colex);
      if (!s.map.isReal(p)) continue;
      ++real;
      const auto place = s.map.at(p);
      REQUIRE(holds(place));
      for (std::size_t k = 0; k < p.size(); ++k) REQUIRE(evaluate(f->values[k], place) == p[k]);
      for (std::size_t a = 0; a < place.size(); ++a)
        REQUIRE((place[a] >= f->places[a].lo && place[a] <= f->places[a].hi));
    }
    std::vector<i64> widths, place;
    i64 box = 1, hit = 0;
    for (const Range& r : f->places) box *= widths.emplace_back(r.hi - r.lo + 1);
    for (i64 n = 0; n < box; ++n) {
      place = delinearize(n, widths, LinearOrder::Colex);
      for (std::size_t a = 0; a < place.size(); ++a) place[a] += f->places[a].lo;
      hit += holds(place);
    }
    CHECK(hit == real);
  }
  CHECK(formulas == 19);
}

TEST_CASE("2^40 elements invert without a table") {
  const i64 n = i64{1} << 20;
  for (const Map& m : {mapOf({n, n}, {d0 * n + d1}), mapOf({n, n}, {swizzle(d0 * n + d1)}),
                       mapOf({n - 1, n}, {swizzle(d0 * (n + 8) + d1)}),
                       mapOf({n - 1, n}, {floorDiv(d0, 8) * 8 * n + mod(d0, 8) + d1 * 8})}) {
    const auto inv = inverse(m);
    REQUIRE(inv.ok());
    const std::vector<i64> p{n - 3, 12345};  // the table would have 2^40 entries
    CHECK((*inv)->find(m.at(p)) == p);
  }
}

TEST_CASE("a refusal shows two points that share a place") {
  const auto refusal = [](const Map& m) {
    const auto inv = inverse(m);
    REQUIRE_FALSE(inv.ok());
    return inv.error().message;
  };
  const i64 n = i64{1} << 30;
  CHECK(refusal(mapOf({4, 2}, {d0 + d1 * 2})) == "it has no inverse: (0,1) and (2,0) both give 2");
  CHECK(refusal(mapOf({n, n}, {d0 + d1})) == "it has no inverse: (0,1) and (1,0) both give 1");
  CHECK(refusal(mapOf({n, n}, {d1})) == "it has no inverse: (0,0) and (1,0) both give 0");
  CHECK(refusal(mapOf({n, n}, {d0 ^ d1})) == "it has no inverse: (0,0) and (1,1) both give 0");
  CHECK(refusal(mapOf({n, n}, {d0, d0})) == "it has no inverse: (0,0) and (0,1) both give (0,0)");
  CHECK(refusal(mapOf({6}, {mod(d0, 5)})) == "it has no inverse: (0) and (5) both give 0");
  CHECK(refusal(mapOf({n, n}, {mod(d0 * 3 + d1, 1000)})).find("too large for a table") != std::string::npos);
}

TEST_CASE("random small strided maps invert exactly when their table has no repeats") {
  std::mt19937_64 rng(9);
  int yes = 0, no = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<i64> extents;
    std::vector<Expr> axes(1 + rng() % 2);
    for (int k = 0; k < static_cast<int>(1 + rng() % 3); ++k) {
      extents.push_back(static_cast<i64>(1 + rng() % 4));
      Expr& axis = axes[rng() % axes.size()];
      axis = axis + Expr::digit(k) * (static_cast<i64>(rng() % 17) - 4);
    }
    const Map m = mapOf(extents, axes);
    std::vector<std::vector<i64>> values;
    for (i64 n = 0; n < *m.pointCount(); ++n) values.push_back(m.at(delinearize(n, extents, LinearOrder::Colex)));
    std::sort(values.begin(), values.end());
    const bool repeats = std::adjacent_find(values.begin(), values.end()) != values.end();
    INFO(print(m));
    const auto inv = inverse(m);
    REQUIRE(inv.ok() == !repeats);
    ++(repeats ? no : yes);
  }
  CHECK(yes > 300);
  CHECK(no > 300);
}
