#include "core/notation/indexing/map.h"

#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/map/compose.h"

namespace tessera::indexing {

std::string print(const IndexingMap& map) { return map.undefined ? "UNDEFINED" : print(map.map); }

Result<Map> toMap(const IndexingMap& map) {
  if (map.undefined) return Diag{"this map is undefined", "a map with a formula"};
  return map.map;
}

IndexingMap toIndexingMap(const Map& map) {
  std::vector<Digit> digits;
  std::vector<Expr> moved(map.digits().size());
  const std::vector<int> index = map.indexDigits(), fans = map.fanDigits();
  for (const auto* list : {&index, &fans}) {
    for (const int k : *list) {
      moved[static_cast<std::size_t>(k)] = Expr::digit(static_cast<int>(digits.size()));
      digits.push_back(map.digits()[static_cast<std::size_t>(k)]);
    }
  }
  std::vector<Axis> axes;
  for (const Axis& a : map.axes()) axes.push_back({"", substitute(a.value, moved), a.extent});
  std::vector<Guard> guards;
  for (const Guard& g : map.guards()) guards.push_back({substitute(g.value, moved), g.lo, g.hi});
  auto made = Map::create(std::move(digits), std::move(axes), std::move(guards), map.params());
  LAYOUT_CHECK(made.ok(), "reordering digits cannot make a map unsound");
  return {*std::move(made)};
}

IndexingMap simplified(const IndexingMap& map) { return map.undefined ? map : IndexingMap{simplified(map.map)}; }

Result<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second) {
  if (first.undefined || second.undefined) return IndexingMap{{}, true};
  TESSERA_TRY(Map both, thenInside(first.map, second.map));
  return IndexingMap{std::move(both)};
}

}  // namespace tessera::indexing
