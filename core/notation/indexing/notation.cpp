#include "core/notation/indexing/notation.h"

namespace tessera {

Result<Arrow> NotationOf<IndexingMap>::arrow(const IndexingMap& indexing) {
  TESSERA_TRY(Map map, toMap(indexing));
  const bool address = map.axes().size() == 1 && (map.axes()[0].name == "offset" || map.axes()[0].name == "m");
  return arrowOf(std::move(map), address ? SpaceKind::Elements : SpaceKind::Coordinates, LinearOrder::Lex,
                 address ? SpaceKind::Memory : SpaceKind::Coordinates);
}

}  // namespace tessera
