// Placing parts into a figure: what every view that shows more than one grid needs.
#pragma once

#include <string>

#include "render/figure/figure.h"
#include "render/figure/marks.h"

namespace tessera {

// Adds the grids, marks and lit points of `part` at (dx, dy); grid names get `prefix`. Widens the figure to hold it.
void place(Figure& into, const Figure& part, double dx, double dy, const std::string& prefix = "");

// A figure of one grid, with room for its headers.
[[nodiscard]] Figure figureOf(Grid grid);

// The smallest rectangle at the origin that holds every grid (headers included) and mark; sets width and height.
void fitSize(Figure& figure);

}  // namespace tessera
