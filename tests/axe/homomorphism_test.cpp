// toMap(op(a, b)) is op on maps: the notation's algebra does the same as composing and restricting its maps. The
// comparison evaluates the maps; neither side inspects the other's iters.
#include <catch2/catch.hpp>

#include "axe/axe_model.h"
#include "core/map/compose.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/eval.h"

using namespace tessera;
using namespace tessera::axe_model;

namespace {

std::vector<i64> shapeOf(Random& random, i64 size) { return random.shapeOf(size); }

// f(x) as places, axis by axis, so that maps whose axes differ by ones that are always 0 compare.
std::set<Place> image(const Map& map, const std::vector<i64>& at) {
  std::set<Place> out;
  for (const std::vector<i64>& values : map.imageOf(at)) {
    Place place;
    for (std::size_t a = 0; a < values.size(); ++a) place[map.axes()[a].name] = values[a];
    out.insert(normal(place));
  }
  return out;
}

template <typename Expected>
void everywhere(const Map& map, const std::vector<i64>& shape, Expected expected) {
  for (i64 x = 0; x < product(shape); ++x) {
    const std::vector<i64> at = delinearize(x, shape, LinearOrder::Lex);
    CHECK(image(map, at) == expected(at));
  }
}

std::set<Place> sum(const std::set<Place>& a, const std::set<Place>& b) {
  std::set<Place> out;
  for (const Place& p : a)
    for (const Place& q : b) {
      Place s = p;
      for (const auto& [axis, value] : q) s[axis] += value;
      out.insert(normal(s));
    }
  return out;
}

}  // namespace

TEST_CASE("canonicalize, permute and slice on layouts are equality, renaming and restriction on maps") {
  Random random(31);
  int canonical = 0, permuted = 0, sliced = 0;
  for (int n = 0; n < 400; ++n) {
    const axe::Layout l = random.layout(3, 1);
    const std::vector<i64> shape = shapeOf(random, l.size());
    const auto map = toMap(l, shape);
    if (!map) continue;
    INFO(print(l));
    if (const auto c = toMap(canonicalize(l), shape)) {
      ++canonical;
      everywhere(*c, shape, [&](const std::vector<i64>& at) { return image(*map, at); });
    }
    std::vector<std::size_t> order;
    std::vector<i64> newShape;
    for (std::size_t k = shape.size(); k-- > 0;) {
      order.push_back(k);
      newShape.push_back(shape[k]);
    }
    if (const auto p = permute(l, shape, order)) {
      const auto permutedMap = toMap(*p, newShape);
      REQUIRE(permutedMap.ok());
      ++permuted;
      everywhere(*permutedMap, newShape,
                 [&](const std::vector<i64>& at) { return image(*map, std::vector<i64>(at.rbegin(), at.rend())); });
    }
    axe::Region region;
    std::vector<i64> box;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const i64 begin = random.below(shape[k]), end = begin + 1 + random.below(shape[k] - begin);
      region.push_back({begin, end});
      box.push_back(end - begin);
    }
    if (const auto s = slice(l, shape, region)) {
      const auto slicedMap = toMap(*s, box);
      REQUIRE(slicedMap.ok());
      ++sliced;
      everywhere(*slicedMap, box, [&](std::vector<i64> at) {
        for (std::size_t k = 0; k < at.size(); ++k) at[k] += region[k].first;
        return image(*map, at);
      });
    }
  }
  CHECK(canonical > 200);
  CHECK(permuted > 100);
  CHECK(sliced > 100);
}

TEST_CASE("a direct sum of layouts is the sum of the maps") {
  Random random(32);
  int sums = 0;
  for (int n = 0; n < 400; ++n) {
    const axe::Layout a = random.layout(2, 1), b = random.layout(2, 1);
    const std::vector<i64> sa = {a.size()}, sb = {b.size()};
    const auto s = directSum(a, sa, b, sb);
    if (!s) continue;
    const std::vector<i64> shape = {a.size() * b.size()};
    const auto map = toMap(*s, shape), ma = toMap(a, sa), mb = toMap(b, sb);
    REQUIRE((map.ok() && ma.ok() && mb.ok()));
    ++sums;
    INFO(print(a) << " + " << print(b));
    everywhere(*map, shape, [&](const std::vector<i64>& at) {
      return sum(image(*ma, {at[0] / b.size()}), image(*mb, {at[0] % b.size()}));
    });
  }
  CHECK(sums > 300);
}
