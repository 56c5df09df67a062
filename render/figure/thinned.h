// thinned: the one cell whose colour stands for a block of cells, where there are more cells than pixels.
//
//     hue of (r, c) = (c ^ r) mod 8, blocks of 8 x 1:   a mean of eight hues is the same grey everywhere; the first row
//                                                       of each block has c alone. Row 8 k + k mod 8 of block k shows the xor.
//
// Block k of side s is shown by its cell k mod s, so that what repeats within a block is seen from block to block, as it
// would be from near, and what is as large as blocks keeps its place. Sides are powers of two and blocks lie at their
// multiples: panning moves the picture and does not change it. Law: the colour is that of a cell of the block; it is the
// hottest of those looked at where there is heat; a block is empty (padding, unreachable) only when most of them are.
#pragma once

#include "render/figure/figure.h"

namespace tessera {

// The smallest power of two that is not less (1 for less).
[[nodiscard]] i64 blockSide(double cells);
// The block of rows x cols at (row0, col0); cut off at the end of the grid: the block has at least one cell.
[[nodiscard]] Paint thinned(const CellSource& cells, i64 row0, i64 col0, i64 rows, i64 cols, i64 gridRows,
                            i64 gridCols);

}  // namespace tessera
