#include "render/gl/first_fit.h"

#include <algorithm>

#include "render/figure/text_metrics.h"
#include "render/gl/scene.h"

namespace tessera {
namespace {

constexpr double kMostRooms = 3.5;    // a higher picture starts at its top; the rest by dragging
constexpr double kCornerRooms = 1.6;  // height of such a picture in the column
constexpr double kFar = 0.3;

// Whether this grid has labels at all; inks draw the same ones.
bool labelled(const Grid& g) { return g.cells && g.rows > 0 && g.cols > 0 && labelSize(g) > 0; }

// The scale at which all labels are `size` device units high; 0 without labels.
double scaleFor(const Figure& f, double size) {
  double scale = 0;
  for (const Grid& g : f.grids) {
    if (!labelled(g)) continue;
    // Sizes grow almost proportionally with the cell, so a few steps suffice.
    double s = 1;
    for (int k = 0; k < 8; ++k) s *= size / fullLabelSize(g, g.cellWidth * s, g.cellHeight * s);
    scale = std::max(scale, s);
  }
  return scale;
}

// The same for texts beside grids.
double scaleForTexts(const Figure& f, double size) {
  double least = 1e9;
  for (const Mark& m : f.marks)
    if (m.kind == Mark::Kind::Text && !m.text.empty()) least = std::min(least, m.size);
  return least < 1e9 ? size / least : 0;
}

// Whether every grid has some label; a legible figure requires full labels.
bool readableAt(const Figure& f, double scale, double unit) {
  using Kind = LabelForm::Kind;
  return std::ranges::all_of(f.grids, [&](const Grid& g) {
    if (!labelled(g)) return true;
    const Kind kind =
        labelForm(g, g.cellWidth * scale, g.cellHeight * scale, kLeastLabel * unit, kGoodLabel * unit).kind;
    const bool half = g.secondChars > 0 && (kind == Kind::First || kind == Kind::FirstNumber);
    return kind != Kind::None && !(f.legible && half);
  });
}

// Area of the cells within a window, in square points.
double seenIn(const Figure& f, const Rect& window) {
  double area = 0;
  for (const Grid& g : f.grids) {
    const double right = g.x + g.cellWidth * static_cast<double>(g.cols);
    const double bottom = g.y + g.cellHeight * static_cast<double>(g.rows);
    const double w = std::min(right, window.x + window.w) - std::max(g.x, window.x);
    const double h = std::min(bottom, window.y + window.h) - std::max(g.y, window.y);
    area += std::max(0.0, w) * std::max(0.0, h);
  }
  return area;
}

// The left edge of a window of that size that shows cells: the top left corner of a product is empty, with B right of
// it.
double leftEdge(const Figure& f, Rect window) {
  constexpr double kHeaders = 36;
  constexpr double kSliver = 0.25;  // keep the corner unless it shows less than this share of another edge
  const double corner = window.x;
  double best = corner, most = seenIn(f, window) / kSliver;
  for (const Grid& g : f.grids) {
    window.x = std::max(corner, g.x - kHeaders);
    const double seen = seenIn(f, window);
    if (seen > most) {
      most = seen;
      best = window.x;
    }
  }
  return best;
}

}  // namespace

Rect wantedExtent(const Figure& figure) {
  const Rect e = extentOf(figure);
  return {e.x - 10, e.y - 8, e.w + 20, e.h + 16};
}

FirstFit firstFit(const Figure& figure, double width, double room, double unit, bool alone) {
  const Rect e = wantedExtent(figure);
  const double full = std::min(1.5 * unit, width / e.w), whole = std::min(full, room / e.h);
  const double labels = scaleFor(figure, kGoodLabel * 1.005 * unit), texts = scaleForTexts(figure, 8.4 * unit);
  FirstFit fit;
  fit.scale = std::clamp(std::max(labels, texts), whole, full);
  bool corner = false;  // shown from its top left corner because it does not fit
  if (labels > 0 && !readableAt(figure, fit.scale, unit)) {
    corner = figure.legible;
    fit.scale = corner ? std::min(labels, 2.5 * unit) : whole;
  }
  const double natural = fit.scale * e.h;
  corner = corner || natural > kMostRooms * room;
  // A zoomed-out or lone picture is meant to be zoomed into: it gets the room even if it does not fill it.
  const double least = std::max(90 * unit, alone ? room : fit.scale < kFar ? room * 0.6 : 0.0);
  fit.height = corner ? std::max(90 * unit, std::min(natural, kCornerRooms * room)) : std::max(natural, least);
  if (fit.scale < kFar && !corner) {  // margins shrink but headers do not: the pane makes room for them
    const double left = std::min(48 * unit, width / 8), top = std::min(20 * unit, fit.height / 8);
    fit.scale = std::min((width - left) / e.w, (fit.height - top) / e.h);
  }
  // Centred if there is room; a strip starts at the pane's left edge.
  fit.x = e.x - std::max(0.0, (width / fit.scale - e.w) / 2);
  fit.y = e.y - std::max(0.0, (fit.height / fit.scale - e.h) / 2);
  if (corner) fit.x = leftEdge(figure, {fit.x, fit.y, width / fit.scale, std::min(fit.height, room) / fit.scale});
  return fit;
}

}  // namespace tessera
