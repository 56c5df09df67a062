// Composition of figures, for views with more than one grid.
#pragma once

#include <string>
#include <utility>

#include "render/draw/draw.h"
#include "render/figure/figure.h"

namespace tessera {

// Adds the grids, marks and lit points of `part` at (dx, dy), with `prefix` on grid names. Extends the figure to
// contain it.
void place(Figure& into, const Figure& part, double dx, double dy, const std::string& prefix = "");

// The title "NAME as VIEW", or `otherwise` for a value without a name, and the subtitle.
void setTitle(Figure& figure, const DrawOptions& options, const std::string& view, const std::string& otherwise,
              std::string subtitle);

// The name of a part at (x, y), and after it what it is.
void addHeading(Figure& figure, double x, double y, const std::string& name, const std::string& what,
                Face face = Face::Sans);
[[nodiscard]] double headingWidth(const std::string& name, const std::string& what, Face face = Face::Sans);

[[nodiscard]] Role roleOf(Truth truth);
// The mark of a verdict, centred at (x, y): a tick through three points, a cross, a question mark. It is drawn, because
// the position of a font's glyph varies.
struct SignShape {
  double tick[3][2];
  double cross, width, size;  // half the cross; of the strokes; of the question mark
};
void addSign(Figure& figure, Truth truth, double x, double y, const SignShape& shape, double scale = 1);

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

// A window onto a grid: the cells around a place, for cards with limited space.

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
