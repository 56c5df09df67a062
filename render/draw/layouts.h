// Placing parts into a figure: what every view that shows more than one grid needs.
#pragma once

#include <string>

#include "render/figure/figure.h"

namespace tessera {

// Marks, one call each.
[[nodiscard]] Mark textMark(double x, double y, std::string text, double size, Face face, Align align, Role role);
[[nodiscard]] Mark boxMark(const Rect& rect, Paint fill, Paint stroke, double radius = 4);
[[nodiscard]] Mark arrowMark(double x0, double y0, double x1, double y1, Role role, double width = 1.1);
[[nodiscard]] Mark lineMark(double x0, double y0, double x1, double y1, Role role, double width = 1);

// Adds the grids, marks and lit points of `part` at (dx, dy); grid names get `prefix`. Widens the figure to hold it.
void place(Figure& into, const Figure& part, double dx, double dy, const std::string& prefix = "");

// A figure of one grid, with room for its headers.
[[nodiscard]] Figure figureOf(Grid grid);

// The smallest rectangle at the origin that holds every grid (headers included) and mark; sets width and height.
void fitSize(Figure& figure);
// What a mark covers.
[[nodiscard]] Rect extentOf(const Mark& mark);

}  // namespace tessera
