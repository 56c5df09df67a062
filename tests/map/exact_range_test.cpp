// exactRange against every point.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "core/map/domain/domain_size.h"
#include "tests/support/volume.h"

using namespace tessera;

namespace {

struct Random {
  std::mt19937_64 engine;
  i64 operator()(i64 n) { return static_cast<i64>(engine() % static_cast<u64>(n)); }
};

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1);

Map mapOf(const std::vector<i64>& extents, const Expr& value, std::vector<Guard> guards = {}) {
  std::vector<Digit> digits;
  for (std::size_t k = 0; k < extents.size(); ++k)
    digits.push_back({"i" + std::to_string(k), extents[k], DigitKind::Index});
  return *Map::create(digits, {{"offset", value, {}}}, std::move(guards));
}

std::optional<Range> byPoints(const Map& map) {
  std::optional<Range> range;
  std::vector<i64> extents;
  for (const Digit& d : map.digits()) extents.push_back(d.extent);
  for (i64 n = 0; n < *map.pointCount(); ++n) {
    const std::vector<i64> at = delinearize(n, extents, LinearOrder::Colex);
    if (!map.isReal(at)) continue;
    const i64 v = map.at(at)[0];
    range = range ? Range{std::min(range->lo, v), std::max(range->hi, v)} : Range{v, v};
  }
  return range;
}

Expr swizzled(const Expr& x, int bits, int base, int shift) {
  return x ^ (mod(floorDiv(x, i64{1} << (base + std::max(0, shift))), i64{1} << bits) *
              (i64{1} << (base + std::max(0, -shift))));
}

}  // namespace

TEST_CASE("the range of a map is that of its points") {
  // A swizzle whose period is larger than what it is applied to; one that goes up and comes down again.
  CHECK(exactRange(mapOf({8}, swizzled(d0, 1, 2, 3)))->hi == 7);
  CHECK(exactRange(mapOf({2}, swizzled(d0 * 5, 1, 0, -2)))->hi == 1);
  CHECK(exactRange(mapOf({8, 40}, swizzled(d0 * 40 + d1, 3, 3, 3)))->hi == 319);
  // Large: no point is visited.
  CHECK(exactRange(mapOf({1 << 20, 1 << 20}, swizzled(d0 * (1 << 20) + d1, 3, 3, 3)))->hi == (i64{1} << 40) - 1);
  CHECK(exactRange(mapOf({1'000'003, 40}, swizzled(d0 * 40 + d1, 3, 3, 3)))->hi == 40'000'127);
  CHECK(exactRange(mapOf({1 << 30}, d0 * -3 + 7))->lo == ((i64{1} << 30) - 1) * -3 + 7);
  // A guard that no point of the box meets.
  CHECK_FALSE(exactRange(mapOf({4}, d0, {{d0, 9, 10}})).has_value());
  Random random{std::mt19937_64(20261124)};
  const auto expression = [&](const std::vector<i64>& extents) {
    const i64 s = 1 + random(9), t = 1 + random(2) * extents[0] + random(5);
    const Expr sum = d0 * s + d1 * t + random(6);
    const int bits = 1 + static_cast<int>(random(3));
    switch (random(6)) {
      case 0:
        return sum;
      case 1:
        return swizzled(sum, bits, static_cast<int>(random(3)),
                        (bits + static_cast<int>(random(2))) * (random(2) == 0 ? 1 : -1));
      case 2:
        return d0 * s - d1 * t;
      case 3:
        return floorDiv(sum * 5, 1 + random(4)) ^ mod(sum, 1 + random(7));
      case 4:
        return mod(d0, 2) * 8 + floorDiv(d0, 2) + d1 * 16;
      default:
        return (d0 * s) ^ (d1 * t);
    }
  };
  for (i64 n = 0; n < tessera::test::volume(3000, 300'000); ++n) {
    const std::vector<i64> extents = {1 + random(9), 1 + random(9)};
    const Expr value = expression(extents);
    std::vector<Guard> guards;
    if (random(4) == 0) guards.push_back({d0 + d1, random(4), 4 + random(4)});
    const Map map = mapOf(extents, value, guards);
    const auto found = exactRange(map), slow = byPoints(map);
    INFO(print(map));
    REQUIRE(found.has_value() == slow.has_value());
    if (!slow) continue;
    REQUIRE(found->lo == slow->lo);
    REQUIRE(found->hi == slow->hi);
  }
}
