// scene: walks the visible part of a Figure and tells a Painter what to put where:
// the window's counterpart of render/ink.
//
// A View maps figure points to device units: device = (point - (x, y)) * scale. Only what meets `clip` is asked for, so
// the cost depends on what is shown, never on the size of a grid. Where cells get small their labels shorten and then go
// (render/figure/label_form.h), below minBorder their borders go, below one unit a block of cells is one spot
// (sampleCells). Headers that would meet a text beside the grid are left out.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/figure/figure.h"
#include "render/figure/palette.h"

namespace tessera {

struct View {
  double scale = 1;
  double x = 0, y = 0;
  Rect clip{-1e15, -1e15, 2e15, 2e15};  // device units
  double minLabel = 22, minBorder = 3;  // 22 times the interface's scale: the unit of every least size
};

// Cells [row0, row1) x [col0, col1) of one grid, to be filled in bulk over the device rectangle `where` with an image
// of width x height (one pixel a cell, or one for a block of cells: render/figure/thinned.h). The painter samples it
// with sampleCells, or has it still from the last frame.
struct CellBlock {
  const Grid* grid = nullptr;
  Rect where;
  i64 row0 = 0, row1 = 0, col0 = 0, col1 = 0;
  int width = 0, height = 0;
  i64 down = 0, across = 0;  // the side of the block that a pixel stands for; 0: what comes of the width and height
  double gap = 0;            // device units between cells, drawn in the canvas colour; 0: none
  Theme theme = Theme::Dark;
};

// The type sizes of labels, at the interface's usual scale: none is smaller than the first, below the second they shorten.
inline constexpr double kLeastLabel = 6.2, kGoodLabel = 8.6;

class Painter {
 public:
  virtual ~Painter() = default;
  virtual void rect(const Rect& r, Rgba fill, Rgba stroke, double strokeWidth, double radius) = 0;
  virtual void line(double x0, double y0, double x1, double y1, Rgba color, double width, bool arrow) = 0;
  // x is the left end, middle or right end by `align`; y the vertical middle.
  virtual void text(double x, double y, const std::string& text, Rgba color, double size, Face face, Align align) = 0;
  virtual void hatch(const Rect& r, Rgba color) = 0;
  virtual void cells(const CellBlock& block) = 0;
};

// Whether a point is lit from outside (hovered, pinned, counterexample): at most a few points.
struct Lights {
  std::vector<Point> points;              // that marks light, and grids without an entry of their own
  std::vector<std::vector<Point>> grids;  // what each grid lights (render/figure/linked.h); may be empty
};

void paintScene(const Figure& figure, const View& view, Theme theme, const Lights& lights, Painter& painter);

// The box of everything the figure draws, headers included, in points.
[[nodiscard]] Rect extentOf(const Figure& figure);

// The image of a block, rows from top to bottom; its cost is that of the image, whatever the grid's size.
[[nodiscard]] std::vector<Rgba> sampleCells(const CellBlock& block);

}  // namespace tessera
