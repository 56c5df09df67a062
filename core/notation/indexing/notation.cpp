#include "core/notation/indexing/notation.h"

#include "core/map/compose.h"

namespace tessera {

Result<Arrow> NotationOf<indexing::IndexingMap>::arrow(const indexing::IndexingMap& indexing) {
  TESSERA_TRY(Map map, toMap(indexing));
  // A single result is an address: its codomain is [0, largest + 1), like a layout's cosize.
  if (map.axes().size() == 1 && !map.axes()[0].extent && !map.isEmpty()) {
    const Facts facts = factsOf(withSimplerValues(map).axes()[0].value, environmentOf(map));
    std::vector<Axis> axes = map.axes();
    if (facts.fits && facts.interval.lo >= 0 && facts.interval.hi < INT64_MAX) axes[0].extent = facts.interval.hi + 1;
    TESSERA_TRY(map, Map::create(map.digits(), std::move(axes), map.guards(), map.params()));
  }
  const bool address = map.axes().size() == 1 && (map.axes()[0].name == "offset" || map.axes()[0].name == "m");
  return arrowOf(std::move(map), address ? SpaceKind::Elements : SpaceKind::Coordinates, LinearOrder::Lex,
                 address ? SpaceKind::Memory : SpaceKind::Coordinates);
}

}  // namespace tessera
