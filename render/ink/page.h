// Page: a figure prepared for paper: cells of lazy grids read, colours resolved, headers, title and caption turned into
// marks. The drawing inks (SVG, Cairo, TikZ) print pages and only choose syntax.
//
// A grid with more cells than the ink's limit is thinned: each square represents a block of cells, in the colour of one
// of them (render/figure/thinned.h), and the caption gives the block size. Marks keep their relative places: where a
// grid shrinks, the coordinates below it shrink too, and everything else moves along.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "render/figure/figure.h"
#include "render/figure/palette.h"
#include "render/figure/text_metrics.h"
#include "render/ink/ink.h"

namespace tessera {

inline constexpr i64 kMaxPaperCells = i64{1} << 18;  // 512 x 512, per grid; twice that for all grids together
inline constexpr i64 kMaxPaperSide = 1024;           // more rows or columns than this are thinned
inline constexpr i64 kThinnedSide = 512;

struct PageGrid {
  std::string name;
  i64 rows = 0, cols = 0;  // squares on paper
  double x = 0, y = 0;
  double pitchX = 0, pitchY = 0;
  double gap = 0;                                     // between neighbours, points
  i64 rowGroup = 0, colGroup = 0;                     // tile boundaries, in squares
  i64 cellsPerRow = 1, cellsPerCol = 1;               // cells per square: 1 x 1 unless thinned
  std::vector<Rgba> fill;                             // rows * cols; alpha 0: none
  enum : unsigned char { kPlain, kHatched, kFaint };  // hatched: no fill, muted label; faint: label barely visible
  std::vector<unsigned char> lit, quiet;
  // The colour of a cell's label.
  [[nodiscard]] Rgba labelColour(std::size_t k, Theme theme) const;
  std::vector<std::string> labels;   // empty if labels are not drawn
  std::vector<std::string> seconds;  // empty if no cell has one
  double labelSize = 0;
  int labelChars = 1;
  [[nodiscard]] std::size_t at(i64 row, i64 col) const { return static_cast<std::size_t>(row * cols + col); }
  [[nodiscard]] bool thinned() const { return cellsPerRow > 1 || cellsPerCol > 1; }
  // The square's rectangle without gaps; tile boundaries are wider.
  [[nodiscard]] Rect square(i64 row, i64 col) const;
  // Visits the lines of a label with their centres and type sizes, for a grid at (left, top). Requires labels.
  template <class Visit>
  void eachLine(std::size_t k, double left, double top, const Visit& visit) const {
    const bool two = !seconds.empty() && !seconds[k].empty();
    const double cx = left + (static_cast<double>(static_cast<i64>(k) % cols) + 0.5) * pitchX;
    const double cy = top + (static_cast<double>(static_cast<i64>(k) / cols) + 0.5) * pitchY;
    visit(cx, cy - (two ? pitchY * 0.16 : 0), labels[k], labelSize);
    if (two) visit(cx, cy + pitchY * 0.24, seconds[k], labelSize * kSecondLabel);
  }
};

struct Page {
  double width = 0, height = 0;
  Theme theme = Theme::Light;
  bool transparent = false;  // the canvas is not painted
  std::vector<PageGrid> grids;
  std::vector<Mark> marks;  // headers, the figure's marks, title, caption; in drawing order
};

// A lit square at least 3 points wide and high: a smaller one would vanish.
[[nodiscard]] Rect litSquare(Rect square);
// The ends of an arrow's head, beside its tip.
struct ArrowHead {
  double x0, y0, x1, y1;
};
[[nodiscard]] ArrowHead headOf(const Mark& arrow);

[[nodiscard]] Page makePage(const Figure& figure, const InkOptions& options, i64 maxCells = kMaxPaperCells);
// The figure with its title, subtitle, badges and caption as marks around it, as on a page.
[[nodiscard]] Figure framed(const Figure& figure);

// Replaces invalid UTF-8, surrogates, non-characters and control characters other than tab and newline by U+FFFD.
[[nodiscard]] std::string validUtf8(std::string_view text);
// validUtf8, with & < > " escaped.
[[nodiscard]] std::string xmlEscaped(std::string_view text);

class Tones;
// What distinguishes an SVG within a page of several.
struct SvgParts {
  std::string prefix;                // of ids
  std::string attributes;            // of the element: ` id="a"`
  std::size_t singleLabels = 16384;  // grids with more cells have one text for a row of labels
  std::size_t maxBytes = 1990000;    // labels that would exceed it are omitted
  [[nodiscard]] std::string hatching() const { return prefix + "h"; }
};
// `dark`: the same figure as `page` in the other theme of `tones`, or `page` itself.
[[nodiscard]] std::string svgOf(const Figure& figure, const Page& page, const Page& dark, Tones& tones,
                                const SvgParts& parts);

// The inks, one function per format; data.cpp has the table of their names.

[[nodiscard]] Result<std::string> inkSvg(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkPng(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkPdf(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkTex(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkTxt(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkCsv(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkJson(const Figure& figure, const InkOptions& options);

}  // namespace tessera
