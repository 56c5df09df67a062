// A window onto a grid: the cells around a place, for cards with limited space.
#pragma once

#include <memory>

#include "render/figure/figure.h"

namespace tessera {

// Rows [row0, row0 + rows) and columns [col0, col0 + cols) of `grid`, with their cells, points and headers.
[[nodiscard]] Grid windowOf(const Grid& grid, i64 row0, i64 col0, i64 rows, i64 cols);
// Crops the only grid of a figure to windows of at most `side` x `side` around each of its lit points (around the
// origin if there is none); figures with small grids are unchanged.
[[nodiscard]] Figure windowed(const Figure& figure, i64 side = 24);

// Elided columns: of each group of columns only the first few and the last few are shown, with an ellipsis between.
//
//     128 lanes per tile, keep 8 and 1:   0 1 2 3 4 5 6 7 ... 127   0 1 2 3 4 5 6 7 ... 127
//
// Law: visible cells, headers and points are those of the whole grid; find() returns visible cells only.

// Returns the grid itself if groups are too small to elide or do not divide the columns.
[[nodiscard]] Grid elided(const Grid& grid, i64 group, i64 keepFirst, i64 keepLast);

}  // namespace tessera
