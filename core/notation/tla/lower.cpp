#include "core/notation/tla/lower.h"

#include "core/notation/cute/lower.h"

namespace tessera::tla {

Result<Map> toMap(const Layout& layout) {
  TESSERA_TRY(Map map, toMap(layout.layout()));
  std::vector<Guard> guards;
  const std::vector<cute::LayoutLeaf> leaves = flatLeaves(layout.layout());
  std::size_t leaf = 0;
  for (int k = 0; k < layout.layout().rank(); ++k) {
    Expr coordinate;
    i64 extent = 1;
    const std::size_t count = layout.layout().shape().mode(k).leafCount();
    for (std::size_t j = 0; j < count; ++j, ++leaf) {
      coordinate = coordinate + Expr::digit(static_cast<int>(leaf)) * extent;
      extent *= leaves[leaf].extent;
    }
    const i64 real = layout.originShape().mode(k).value();
    if (real < extent) guards.push_back({coordinate, 0, real - 1});
  }
  if (guards.empty()) return map;
  return Map::create(map.digits(), map.axes(), std::move(guards));
}

}  // namespace tessera::tla
