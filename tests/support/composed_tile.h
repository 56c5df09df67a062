// A composed layout as a tile, coordinate by coordinate.
#pragma once

#include "core/analysis/access/tile.h"
#include "core/notation/cute/composed_layout.h"

namespace tessera {

inline Tile tileOf(const cute::ComposedLayout& layout, int elementBits) {
  const i64 size = layout.inner().size(), rows = layout.inner().rank() < 2 ? 1 : layout.inner().mode(0).size(),
            columns = size / rows;
  std::vector<i64> offsets(static_cast<std::size_t>(size));
  for (i64 i = 0; i < size; ++i)
    offsets[static_cast<std::size_t>(i % rows * columns + i / rows)] = layout.crd2idx(cute::IntTuple(i))->value();
  return Tile::ofTable(rows, columns, std::move(offsets), elementBits, print(layout));
}

}  // namespace tessera
