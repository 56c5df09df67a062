// TileCells: a tile with one cell for each element. Pictures of a tile differ in paint and label only.
//
//     8 x 64, at (2,3)     the point 2 + 8 * 3 of the tile's domain
//
// Law: find is the inverse of cell.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/analysis/access.h"
#include "render/figure/figure.h"

namespace tessera {

struct TileCells {
  i64 rows = 1, columns = 1;
  u64 domain = 0;
  std::function<Paint(i64 row, i64 column)> paint;
  std::function<std::string(i64 row, i64 column)> label = {};
};
[[nodiscard]] std::shared_ptr<const CellSource> cellsOf(TileCells tile);

// Of an element outside the block that is shown: the tile's other blocks, as a chessboard.
[[nodiscard]] Paint paintOutside(TileCoord corner, TileCoord end, i64 row, i64 column);

}  // namespace tessera
