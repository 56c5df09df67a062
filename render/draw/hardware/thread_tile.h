// ThreadTile: a tile of a tensor with the owner of each element, as a grid for instructions, tiled copies and
// fragments.
//
//     mma.m16n8k16, operand A:   cell (9, 3) shows T5 V3: lane 5 holds it as its value 3
//
// The hue is the quad of four lanes (the warp, in tiles of several warps), the lightness the lane within it. Every cell
// represents its thread, so hovering one lights all that the thread holds in A, B and C. An operand read by every
// thread (shared memory) shows coordinates instead, coloured by core matrix.
// Law: cell (r, c) shows (t, v) exactly if threadValue(t, v) == r + rows * c.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/access/access.h"
#include "core/atlas/atlas.h"
#include "core/notation/cute/layout.h"
#include "render/draw/draw.h"
#include "render/figure/linked.h"

namespace tessera {

struct ThreadTile {
  i64 rows = 1, columns = 1;  // of the operand: index = row + rows * column
  cute::Layout threadValue;   // (thread, value) -> index
  cute::Layout threadId;      // thread -> lane; 32:1 except for quad pairs
  bool transposed = false;    // drawn transposed: B as K x N, bits across
  i64 unit = 1;               // consecutive indices (along rows) per cell: bits of copies
  bool shared = false;        // read by all: coordinates, not owners
};

// Selection by the words after the view: `thread 5`, `quad 2`, `warp 0`. All other cells fade.
struct Isolated {
  enum class Kind : unsigned char { None, Thread, Quad, Warp } kind = Kind::None;
  i64 number = 0;
  [[nodiscard]] bool holds(i64 thread) const;
};
[[nodiscard]] Result<Isolated> isolatedOf(const std::vector<std::string>& arguments, std::string_view view);

// The grid at the origin. `threads` (of the whole instruction) fixes the colours. find() also accepts elements of a
// tensor of the operand's shape.
[[nodiscard]] Grid gridOf(const ThreadTile& tile, const std::string& name, i64 threads, const Isolated& isolated);
// Relates elements of the tile (row + rows * column) to the threads that hold them; null if cells are not elements.
[[nodiscard]] LinkPtr heldLink(const ThreadTile& tile);
[[nodiscard]] ThreadTile threadTileOf(const AtlasRow& row, const AtlasOperand& operand);

// TileCells: a tile with one cell for each element. Pictures of a tile differ in paint and label only.
//
//     8 x 64, at (2,3)     the point 2 + 8 * 3 of the tile's domain
//
// Law: find is the inverse of cell.

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
