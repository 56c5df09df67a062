#include "core/notation/tla/notation.h"

#include "core/notation/cute/lower.h"
#include "core/notation/cute/notation.h"

namespace tessera {

Result<Arrow> NotationOf<tla::Layout>::arrow(const tla::Layout& layout) {
  TESSERA_TRY(Arrow arrow, NotationOf<cute::Layout>::arrow(layout.layout()));
  TESSERA_TRY(arrow.map, toMap(layout));
  return arrow;
}

Layout NotationOf<tla::Layout>::underlying(const tla::Layout& layout) { return layout.layout(); }

LayoutFacts NotationOf<tla::Layout>::facts(const tla::Layout& layout) {
  LayoutFacts facts = NotationOf<cute::Layout>::facts(layout.layout());
  facts.push_back(factOf("origin_shape", layout.originShape()));
  return facts;
}

}  // namespace tessera

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
