// Boxes against sets of points.
#include "solver/emulate/guards/boxes.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace tessera;
using namespace tessera::graphene;

TEST_CASE("boxes are sets of points") {
  using Points = std::set<std::pair<i64, i64>>;
  const std::vector<i64> most{5, 4};
  Boxes boxes(most);
  const auto pointsOf = [&](Boxes::Id box) {
    Points out;
    if (box == Boxes::kEmpty) return out;
    for (i64 a = boxes.of(box, 0).least; a <= boxes.of(box, 0).most; ++a)
      for (i64 b = boxes.of(box, 1).least; b <= boxes.of(box, 1).most; ++b) out.emplace(a, b);
    return out;
  };
  std::vector<Boxes::Id> all{Boxes::kAll, Boxes::kEmpty};
  std::map<Points, Boxes::Id> numbers;
  for (i64 a = 1; a <= 5; ++a)
    for (i64 c = a; c <= 6; ++c)
      for (i64 b = 1; b <= 4; ++b)
        for (i64 d = b; d <= 4; ++d) all.push_back(boxes.narrowed(boxes.narrowed(Boxes::kAll, 0, {a, c}), 1, {b, d}));
  for (const Boxes::Id box : all) CHECK(numbers.try_emplace(pointsOf(box), box).first->second == box);
  std::mt19937 random(5);
  for (int n = 0; n < 4000; ++n) {
    const Boxes::Id x = all[random() % all.size()], y = all[random() % all.size()];
    const Points a = pointsOf(x), b = pointsOf(y);
    Points common, either = a, rest;
    for (const auto& p : a) (b.contains(p) ? common : rest).insert(p);
    either.insert(b.begin(), b.end());
    INFO(x << " " << y);
    CHECK(pointsOf(boxes.common(x, y)) == common);
    CHECK(boxes.disjoint(x, y) == common.empty());
    CHECK(boxes.contains(x, y) == (common == b));
    const Points around = pointsOf(boxes.around(x, y));
    CHECK(std::includes(around.begin(), around.end(), either.begin(), either.end()));
    const auto isBox = [&](const Points& p) { return p.empty() || numbers.contains(p); };
    const auto together = boxes.together(x, y);
    CHECK(together.has_value() == isBox(either));
    if (together) CHECK(pointsOf(*together) == either);
    if (x == Boxes::kEmpty || !std::includes(a.begin(), a.end(), b.begin(), b.end())) continue;
    const auto without = boxes.without(x, y);
    CHECK(without.has_value() == isBox(rest));
    if (without) CHECK(pointsOf(*without) == rest);
  }
}
