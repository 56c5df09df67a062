// TileCells: a tile with one cell for each element. Pictures of a tile differ in paint and label only.
//
//     8 x 64, at (2,3)     the point 2 + 8 * 3 of the tile's domain
//
// Law: find is the inverse of cell.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/access/access.h"
#include "render/draw/draw.h"

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

// The head of an instruction's picture over a tile, and the menu of its positions, of which `now` is shown.
[[nodiscard]] Figure figureOverTile(const std::string& what, const std::string& type, const Tile& tile,
                                    const std::vector<TileCoord>& positions, std::size_t now,
                                    const DrawOptions& options);

}  // namespace tessera
