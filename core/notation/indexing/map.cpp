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
  Redigited to(map);
  for (const int k : map.indexDigits()) to.keep(k);
  for (const int k : map.fanDigits()) to.keep(k);
  std::vector<Axis> axes = substituted(map.axes(), to.byDigit);
  for (Axis& a : axes) a.name.clear();
  auto made = Map::create(std::move(to.digits), std::move(axes), substituted(map.guards(), to.byDigit), map.params());
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
