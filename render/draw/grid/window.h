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

}  // namespace tessera
