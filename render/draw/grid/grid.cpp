// grid: the logical grid. Rows and columns are coordinates; a cell shows its value.
//
//     (4,8):(8,1)     rank 2: mode 0 down, mode 1 across; nested modes run colexicographically, with wider gaps between
//                     the inner tiles
//     12:1            rank 1: one row, wrapped into rows of a power of two if it is long
//     (4,4,3):(...)   rank 3 and more: modes 0 and 1 as rank 2, the others as facets (at most kMaxFacets, modes.h)
//
// Words after the view: address row column tile shade plain (colour); offset coord index hex (label); rows m2, cols m0,
// m1 3 (mode 1 fixed at 3).
// Law: cell(r, c).label is the map's value at the coordinate; find is the inverse of cell.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

enum class LabelBy : unsigned char { Offset, Coord, Index, Hex };

struct Style {
  ColourBy colour = ColourBy::Address;
  LabelBy label = LabelBy::Offset;
};

constexpr Words<ColourBy, 6> kColourWords = {{{"address", ColourBy::Address},
                                              {"row", ColourBy::Row},
                                              {"column", ColourBy::Column},
                                              {"tile", ColourBy::Tile},
                                              {"shade", ColourBy::Shade},
                                              {"plain", ColourBy::Plain}}};
constexpr Words<LabelBy, 4> kLabelWords = {
    {{"offset", LabelBy::Offset}, {"coord", LabelBy::Coord}, {"index", LabelBy::Index}, {"hex", LabelBy::Hex}}};

Result<Style> styleOf(const DrawOptions& options) {
  Style style;
  for (const std::string& given : options.arguments) {
    if (takeWord(kColourWords, given, style.colour) || takeWord(kLabelWords, given, style.label)) continue;
    return Diag{fmt::format("the grid view knows no \"{}\"", given),
                "address, row, column, tile, shade, plain (colour); offset, coord, index, hex (label)"};
  }
  return style;
}

struct Arrangement : ModePage {
  int labelChars = 0;  // minimum cell width
};

class LogicalCells : public CellSource {
 public:
  LogicalCells(SubjectPtr subject, Arrangement arrangement, Style style, const GridExtras& extras)
      : s_(std::move(subject)),
        a_(std::move(arrangement)),
        style_(style),
        blocks_(extras.blocks ? *extras.blocks : addressBlocks(*s_)),
        claimed_(extras.claimedStrides) {}

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell cell;
    std::vector<i64> coord;
    if (!coordAt(row, col, coord)) return cell;
    std::vector<i64> digits;
    s_->digitsOf(coord.data(), digits);
    cell.point = {s_->domain, s_->indexOf(coord)};
    cell.paint = paintOf(row, col, coord, digits);
    cell.label = style_.label == LabelBy::Offset  ? s_->labelAt(digits)
                 : style_.label == LabelBy::Coord ? coordText(coord)
                 : style_.label == LabelBy::Index ? fmt::format("{}", cell.point.index)
                                                  : fmt::format("{:x}", firstValue(digits));
    if (!claimed_.empty()) {
      i64 claim = 0;
      for (std::size_t k = 0; k < claimed_.size(); ++k)
        claim += digits[static_cast<std::size_t>(s_->leafDigit[k])] * claimed_[k];
      cell.lit = claim != s_->valueAt(digits);
      if (cell.lit) cell.second = fmt::format("\u2260{}", claim);
    }
    return cell;
  }

  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    static thread_local std::vector<i64> coord, digits;
    if (!coordAt(row, col, coord)) return {};
    s_->digitsOf(coord.data(), digits);
    return paintOf(row, col, coord, digits);
  }

  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    if (limit < 1 || !point.isIn(s_->domain, s_->size)) return {};
    return a_.find(s_->coordOf(point.index));
  }

  [[nodiscard]] std::string rowHeader(i64 row) const override { return a_.rowHeader(row); }
  [[nodiscard]] std::string colHeader(i64 col) const override { return a_.colHeader(col); }

  // Length of the longest label.
  [[nodiscard]] int labelChars() const {
    int longest = longestLabels(*this, a_.rows, a_.cols).first;
    // For a huge grid use the bounds, which are at most a digit too wide.
    if (style_.label == LabelBy::Offset && s_->axes() == 1 && !s_->hasFan() && (a_.rows > 64 || a_.cols > 64))
      longest = static_cast<int>(std::max({static_cast<std::size_t>(longest), fmt::format("{}", s_->most).size(),
                                           fmt::format("{}", s_->least).size()}));
    return longest;
  }

 private:
  bool coordAt(i64 row, i64 col, std::vector<i64>& coord) const {
    a_.coordAt(row, col, coord);
    return a_.wrap == 0 || coord[0] < s_->size;
  }

  [[nodiscard]] Paint paintOf(i64 row, i64 col, const std::vector<i64>& coord, const std::vector<i64>& digits) const {
    if (!s_->map.guards().empty() && !s_->map.isReal(digits)) return {Role::Padding};
    if (style_.colour == ColourBy::Row) return groupPaint(row, col);
    if (style_.colour == ColourBy::Column) return groupPaint(col, row);
    if (style_.colour == ColourBy::Tile) return tilePaint(coord);
    const i64 first = firstValue(digits);
    if (style_.colour == ColourBy::Shade) return {Role::Shade, static_cast<int>(floorMod(first, 8)), 0, 0};
    if (style_.colour == ColourBy::Plain || s_->axes() == 0) return {Role::Group, 0, 0, 0};
    return s_->axes() == 1 ? blocks_.paint(first) : groupPaint(first, s_->valueAt(digits, 1));
  }
  [[nodiscard]] i64 firstValue(const std::vector<i64>& digits) const {
    return s_->axes() > 0 ? s_->valueAt(digits) : 0;
  }

  [[nodiscard]] Paint tilePaint(const std::vector<i64>& coord) const {
    i64 tile = 0, inside = 0;
    for (std::size_t m = 0; m < coord.size(); ++m) {
      const i64 inner = s_->modes[m].size() > 1 ? s_->modes[m][0] : 1;
      tile = tile * 3 + coord[m] / inner;
      inside += coord[m] % inner;
    }
    return groupPaint(tile, inside);
  }

  SubjectPtr s_;
  Arrangement a_;
  Style style_;
  AddressBlocks blocks_;
  std::vector<i64> claimed_;
};

i64 groupOf(const Subject& s, int mode) {
  if (mode < 0) return 0;
  const std::vector<i64>& leaves = s.modes[static_cast<std::size_t>(mode)];
  i64 inner = 1;
  for (std::size_t k = 0; k + 1 < leaves.size(); ++k) {
    inner *= leaves[k];
    if (inner > 1) return inner < s.extents[static_cast<std::size_t>(mode)] ? inner : 0;
  }
  return 0;
}

Figure oneGrid(const SubjectPtr& s, const Arrangement& a, Style style, const std::string& name,
               const GridExtras& extras) {
  auto cells = std::make_shared<LogicalCells>(s, a, style, extras);
  const int chars = std::max(a.labelChars, cells->labelChars());
  Grid grid = makeGrid(name, a.rows, a.cols, cells, pitchFor(chars), extras.claimedStrides.empty() ? 26 : 30, chars);
  grid.rowGroup = a.wrap > 0 ? 0 : groupOf(*s, a.rowMode);
  grid.colGroup = a.wrap > 0 && a.rows > 1 ? 0 : groupOf(*s, a.wrap > 0 ? 0 : a.colMode);
  return figureOf(std::move(grid));
}

ModeNames modeNames(const Subject& s) {
  ModeNames names{"mode", {}, {}};
  for (int m = 0; m < s.rank(); ++m) {
    names.words.push_back(fmt::format("m{}", m));
    names.shown.push_back(fmt::format("mode {}", m));
  }
  return names;
}

// Facets side by side; the first facet mode runs across while it fits.
void placeFacets(Figure& figure, const SubjectPtr& s, Arrangement a, ModeChoice choice, i64 shown, Style style,
                 const GridExtras& extras, double width) {
  const ModeNames names = modeNames(*s);
  const i64 first = s->extents[static_cast<std::size_t>(choice.facets[0])];
  double x = 0, y = 0, rowHeight = 0;
  i64 across = 0, perRow = 0;
  for (i64 n = 0; n < shown; ++n) {  // panels of equal size
    (void)choice.choose(n, s->extents, names);
    a.fixed = choice.fixed;
    a.labelChars = std::max(a.labelChars, LogicalCells(s, a, style, extras).labelChars());
  }
  for (i64 n = 0; n < shown; ++n) {
    const std::string label = choice.choose(n, s->extents, names);
    a.fixed = choice.fixed;
    const Figure part = oneGrid(s, a, style, label, extras);
    // A panel is at least as wide as its name.
    const double panel = std::max(part.width, part.grids.front().x + textWidth(label, Face::SansMedium, kType.small));
    if (perRow == 0) {
      perRow = std::clamp<i64>(static_cast<i64>((width + 24) / (panel + 24)), 1, 8);
      if (first <= perRow) perRow = first;
    }
    if (across == perRow) {
      x = 0;
      y += rowHeight + 22;
      across = 0;
    }
    place(figure, part, x, y + 18);
    figure.grids.back().name = label;
    addText(figure, x + figure.grids.back().x - x, y + 8, label, kType.small, Face::SansMedium, Role::Muted);
    x += panel + 24;
    rowHeight = part.height + 18;
    ++across;
  }
  fitSize(figure);
}

// Two modes form a page; the others are facets or fixed.
Result<Figure> manyModes(const SubjectPtr& s, const DrawOptions& options, Style style, const GridExtras& extras) {
  const ModeNames names = modeNames(*s);
  // By default the matrix in a stack of matrices: for (buffer, row, column), last fastest, the last two.
  const int row = s->order == LinearOrder::Lex && s->rank() > 2 ? s->rank() - 2 : 0;
  TESSERA_TRY(const ModeChoice choice, chooseModes(s->extents, options, names, row, row + 1));
  Arrangement a;
  a.rowMode = choice.rowMode;
  a.colMode = choice.colMode;
  a.fixed = choice.fixed;
  if (a.rowMode >= 0) a.rows = s->extents[static_cast<std::size_t>(a.rowMode)];
  if (a.colMode >= 0) a.cols = s->extents[static_cast<std::size_t>(a.colMode)];
  const auto shown = static_cast<i64>(std::min(choice.total, static_cast<double>(kMaxFacets)));
  Figure figure;
  if (choice.facets.empty()) {
    figure = oneGrid(s, a, style, "", extras);
  } else {
    placeFacets(figure, s, a, choice, shown, style, extras, widthFor(options, 1000));
  }
  if (choice.total > static_cast<double>(shown)) {
    figure.caption = fmt::format("The first {} of {:.0f} slices; modes {} are rows, {} columns. ", shown, choice.total,
                                 a.rowMode, a.colMode);
  }
  figure.modes = figureModes(choice, s->extents, names, shown);
  return figure;
}

std::string captionOf(const Subject& s, Style style) {
  const std::string count = counted(static_cast<std::size_t>(s.size), "coordinate");
  std::string where;
  if (s.axes() == 1) where = fmt::format(", addresses {} to {}", s.least, s.most);
  constexpr const char* kSays[] = {"the hue is the first coordinate mod 8",
                                   "the hue is the row",
                                   "the hue is the column",
                                   "one hue is one inner tile",
                                   "the grey is the address mod 8",
                                   ""};
  std::string colour = kSays[static_cast<std::size_t>(style.colour)];
  if (style.colour == ColourBy::Address && s.axes() == 1) colour = describe(addressBlocks(s), s);
  return count + where + (colour.empty() ? "." : "; " + colour + ".");
}

}  // namespace

Result<Figure> drawGrid(const SubjectPtr& s, const DrawOptions& options) { return drawGridWith(s, options, {}); }

Result<Figure> drawGridWith(const SubjectPtr& s, const DrawOptions& given, const GridExtras& extras) {
  const DrawOptions options = withModeWords(given, modeNames(*s));
  TESSERA_TRY(const Style style, styleOf(options));
  Figure figure;
  if (s->rank() == 1) {
    constexpr i64 kStrip = 32;
    Arrangement a;
    i64 wrap = s->size <= kStrip ? s->size : kStrip;
    while (s->size > kStrip && wrap < (i64{1} << 30) && wrap * wrap < s->size) wrap *= 2;
    a.wrap = wrap;
    a.cols = wrap;
    a.rows = ceilDiv(s->size, wrap);
    a.fixed.assign(1, 0);
    figure = oneGrid(s, a, style, "", extras);
  } else {
    TESSERA_TRY(figure, manyModes(s, options, style, extras));
  }
  setTitle(figure, options, "grid", "Logical grid", s->text);
  figure.caption += captionOf(*s, style);
  figure.choices = {choiceOf("colour", kColourWords, style.colour), choiceOf("label", kLabelWords, style.label)};
  return figure;
}

}  // namespace tessera
