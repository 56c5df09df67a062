#include "core/notation/indexing/notation.h"

namespace tessera {

Result<Arrow> NotationOf<IndexingMap>::arrow(const IndexingMap& indexing) {
  TESSERA_TRY(Map map, toMap(indexing));
  const bool address = map.axes().size() == 1 && (map.axes()[0].name == "offset" || map.axes()[0].name == "m");
  Arrow arrow = arrowOf(std::move(map), address ? SpaceKind::Elements : SpaceKind::Coordinates, LinearOrder::Lex,
                        address ? SpaceKind::Memory : SpaceKind::Coordinates);
  for (std::size_t k = 0; k < arrow.from.modes.size() && k < indexing.dims.size(); ++k)
    arrow.from.modes[k].lo = indexing.dims[k].lo;
  return arrow;
}

}  // namespace tessera
