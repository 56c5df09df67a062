// Composition of figures, for views with more than one grid.
#pragma once

#include <string>
#include <utility>

#include "render/figure/figure.h"
#include "render/figure/marks.h"

namespace tessera {

// Adds the grids, marks and lit points of `part` at (dx, dy), with `prefix` on grid names. Extends the figure to
// contain it.
void place(Figure& into, const Figure& part, double dx, double dy, const std::string& prefix = "");

// The name of a part at (x, y), and after it what it is.
void addHeading(Figure& figure, double x, double y, const std::string& name, const std::string& what,
                Face face = Face::Sans);
[[nodiscard]] double headingWidth(const std::string& name, const std::string& what, Face face = Face::Sans);

// A text wrapped to a width, one line every `step`, the first at y; returns where the next would be.
struct Paragraph {
  double width, step, size;
  Face face;
  Role role;
  Align align = Align::Left;
};
double addParagraph(Figure& figure, double x, double y, const std::string& text, const Paragraph& style);

// A figure of one grid, with room for its headers.
[[nodiscard]] Figure figureOf(Grid grid);

// Characters of the longest label and second line among samples: the corners, the first rows and 64 columns.
[[nodiscard]] std::pair<int, int> longestLabels(const CellSource& cells, i64 rows, i64 cols, i64 mostRows = 64);

// Sets width and height to the smallest rectangle at the origin that contains every grid (with headers) and mark.
void fitSize(Figure& figure);

}  // namespace tessera
