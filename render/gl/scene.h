// scene: walks the visible part of a Figure and calls a Painter for each element: the window's counterpart of
// render/ink.
//
// A View maps figure points to device units: device = (point - (x, y)) * scale. Only elements that meet `clip` are
// visited, so the cost depends on what is visible, not on the size of a grid. As cells get smaller, labels shorten and
// then vanish (render/figure/text_metrics.h), borders vanish below minBorder, and below one unit a block is one
// spot (sampleCells). Headers that would overlap a text or another grid are omitted.
//
//     (64,64):(64,1) at 1.0      labels of 10.5 units
//                    at 0.6      cells of 15 units: their labels would have 6, so none is drawn; Omitted says so
//
// Law: no text is smaller than kLeastText units times the interface's scale; what is too small is omitted and reported.
#pragma once

#include <string>
#include <vector>

#include "render/figure/figure.h"
#include "render/figure/palette.h"

namespace tessera {

struct View {
  double scale = 1;
  double x = 0, y = 0;
  Rect clip{-1e15, -1e15, 2e15, 2e15};  // device units
  double minLabel = 22, minBorder = 3;  // 22 times the interface's scale: the unit of all minimum sizes
  bool texts = true;                    // false: only fills and shapes, for a map
};

// Cells [row0, row1) x [col0, col1) of one grid, to be filled over the device rectangle `where` with an image of width
// x height (one pixel per cell or per block of cells: render/figure/thinned.h). The painter samples it with
// sampleCells, or reuses the last frame's image.
struct CellBlock {
  const Grid* grid = nullptr;
  Rect where;
  i64 row0 = 0, row1 = 0, col0 = 0, col1 = 0;
  int width = 0, height = 0;
  i64 down = 0, across = 0;  // sides of a pixel's block in cells; 0: derived from width and height
  double gap = 0;            // device units between cells, drawn in the canvas colour; 0: none
  Theme theme = Theme::Dark;
};

// The least type size of any text, in device units at the default interface scale.
inline constexpr double kLeastText = 9;

// Texts that a figure has and that are too small to be drawn, in the visible part.
struct Omitted {
  bool labels = false;  // of all cells of a grid
  bool parts = false;   // the second part of a grid's labels, or the labels of some cells
  bool texts = false;   // beside grids
  [[nodiscard]] bool any() const { return labels || parts || texts; }
};

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

// The points lit from outside (hovered, pinned, counterexample): at most a few.
struct Lights {
  std::vector<Point> points;              // lit by marks, and by grids without an entry in `grids`
  std::vector<std::vector<Point>> grids;  // by grid (render/figure/linked.h); may be empty
};

Omitted paintScene(const Figure& figure, const View& view, Theme theme, const Lights& lights, Painter& painter);

// The bounding box of everything the figure draws, headers included, in points.
[[nodiscard]] Rect extentOf(const Figure& figure);
// The same in device units at any scale: headers do not shrink with it. Visits the marks once.
class ExtentAt {
 public:
  explicit ExtentAt(const Figure& figure);
  // unit: the interface's scale.
  [[nodiscard]] Rect operator()(double scale, double unit) const;

 private:
  struct GridPart {
    Rect bounds;
    double rowWidth = 0, titleWidth = 0;  // of row numbers and of the rows' title, at type size 1
    bool headers = false, columnTitle = false;
  };
  std::vector<GridPart> grids_;
  double x0_ = 0, y0_ = 0, x1_ = 0, y1_ = 0;  // of everything but grids, in points
};

// The image of a block, top row first; the cost depends on the image size, not the grid's.
[[nodiscard]] std::vector<Rgba> sampleCells(const CellBlock& block);

}  // namespace tessera
