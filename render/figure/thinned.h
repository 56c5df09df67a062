// thinned: selects the cell whose colour represents a block of cells, if there are more cells than pixels.
//
//     hue of (r, c) = (c ^ r) mod 8, blocks of 8 x 1    a mean of eight hues is the same grey everywhere; the first row
//                                                       of each block has c alone. Row 8 k + k mod 8 shows the xor.
//
// Block k of side s is represented by its cell k mod s, so patterns within a block appear across blocks as they would
// up close, and patterns as large as blocks keep their place. Sides are powers of two and blocks are aligned to them,
// so panning moves the picture without changing it. Law: the colour is that of a cell of the block, the hottest one
// sampled if there is heat; a block is empty (padding, unreachable) only if most of its sampled cells are.
#pragma once

#include "render/figure/figure.h"

namespace tessera {

// The smallest power of two >= cells (1 for less).
[[nodiscard]] i64 blockSide(double cells);
// The block of rows x cols at (row0, col0), clipped to the grid. Requires at least one cell.
[[nodiscard]] Paint thinned(const CellSource& cells, i64 row0, i64 col0, i64 rows, i64 cols, i64 gridRows,
                            i64 gridCols);

}  // namespace tessera
