// Composition of figures, for views with more than one grid.
#pragma once

#include <string>

#include "render/figure/figure.h"
#include "render/figure/marks.h"

namespace tessera {

// Adds the grids, marks and lit points of `part` at (dx, dy), with `prefix` on grid names. Extends the figure to
// contain it.
void place(Figure& into, const Figure& part, double dx, double dy, const std::string& prefix = "");

// The name of a part in (x, y), and behind it what it is.
void addHeading(Figure& figure, double x, double y, const std::string& name, const std::string& what,
                Face face = Face::Sans);
[[nodiscard]] double headingWidth(const std::string& name, const std::string& what, Face face = Face::Sans);

// A figure of one grid, with room for its headers.
[[nodiscard]] Figure figureOf(Grid grid);

// Sets width and height to the smallest rectangle at the origin that contains every grid (with headers) and mark.
void fitSize(Figure& figure);

}  // namespace tessera
