// tensor, physical, tiles: an XLA array as its index space, as its memory in order, and as register tiles.
//
//     f32[3,5]{1,0:T(2,2)}    tensor    3 x 5 cells, one hue a tile, the slot in each; the tiles' padding hatched
//                             physical  24 slots, a tile of four a row, the index in each
//     bf16[16,256]{..T(8,128)(2,1)}     tiles: 4 x 128 words a tile, two elements (one above the other) in each word
//
// A unit is the run of slots of one top tile (of one minor row when there is none); its words are what the last tile
// packs together, (2,1) -> 2. Rows and columns of `tensor` are the two most minor dimensions, which are the tiled ones;
// the others are facets. Words after the view: tile address padding (colour); slot coord (label); for `physical` a
// number of slots a row.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/base/arith.h"
#include "core/map/tabulate.h"
#include "core/notation/xla_address.h"
#include "render/draw/grid.h"
#include "render/draw/layouts.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr i64 kAveraged = 1024;  // an ink averages longer sides

enum class Colour : unsigned char { Tile, Address, Padding };
enum class Label : unsigned char { Slot, Coord };

// What the three views share of one array.
struct Array {
  XlaAddressing addressing;
  std::vector<i64> sizes;
  u64 domain = 0;
  i64 unit = 1;                    // slots of a top tile
  i64 unitsAcross = 1;             // tiles along the most minor dimension
  i64 hueDown = 1, hueAcross = 1;  // tiles of one hue: a block of them when there are too many to tell apart
  i64 width = 1;                   // words in a row of a unit
  i64 pack = 1;                    // elements a word
  bool padded = false;             // some slot is padding
  std::shared_ptr<const PointEvaluator> slotOf;  // addressing.linear, compiled: what a zoomed-out picture asks
  Colour colour = Colour::Tile;
  Label label = Label::Slot;

  [[nodiscard]] Paint paintOf(i64 slot, bool padding) const {
    if (colour == Colour::Padding) return padding ? Paint{Role::Heat, 0, 0, 1.0F} : Paint{Role::Group, 0, 0, 0};
    if (padding) return {Role::Padding};
    if (colour == Colour::Address) {
      const i64 eighth = std::max<i64>(ceilDiv(addressing.slots(), 8), 1);
      return {Role::Group, static_cast<int>(slot / eighth % 8),
              static_cast<int>(static_cast<double>(slot % eighth) * 4 / static_cast<double>(eighth)), 0};
    }
    const i64 number = slot / unit, word = slot % unit / pack;
    const i64 down = number / unitsAcross, across = number % unitsAcross;
    const i64 step = hueDown * hueAcross > 1 ? down + across : word / width;
    return {Role::Group, static_cast<int>((down / hueDown % 8 * 3 + across / hueAcross) % 8),
            static_cast<int>(step % 2), 0};
  }
  [[nodiscard]] Point pointOf(const std::vector<i64>& index) const {
    return {domain, linearize(index, sizes, LinearOrder::Colex)};
  }
  [[nodiscard]] std::vector<i64> indexOf(Point point) const {
    return delinearize(point.index, sizes, LinearOrder::Colex);
  }
  [[nodiscard]] bool owns(Point point) const {
    return point.domain == domain && point.index >= 0 && point.index < addressing.elements();
  }
};
using ArrayPtr = std::shared_ptr<const Array>;

std::string bare(const std::vector<i64>& index) { return fmt::format("{}", fmt::join(index, ",")); }

i64 productOf(const std::vector<i64>& factors) { return *xlaProduct(factors); }

// The unit, its words and how many lie side by side.
void measure(Array& a) {
  const XlaExpansion& expansion = a.addressing.expansion();
  if (expansion.steps.empty()) {
    a.unit = a.width = std::max<i64>(a.sizes.empty() ? 1 : a.sizes[expansion.order.back()], 1);
    return;
  }
  const XlaStep& top = expansion.steps.front();
  a.unit = productOf(top.tile);
  a.unitsAcross = std::max<i64>(ceilDiv(top.merged.back(), top.tile.back()), 1);
  if (expansion.steps.size() > 1) {
    const i64 last = productOf(expansion.steps.back().tile);
    if (last <= 8 && a.unit % last == 0) a.pack = last;
  }
  a.width = top.tile.back();
  if (top.tile.size() == 1 && expansion.steps.size() > 1) a.width = expansion.steps[1].tile.back();
  if (top.tile.size() == 1 && a.width > 128 && a.width % 128 == 0) a.width = 128;
  if (a.width * a.pack > a.unit || a.unit % (a.width * a.pack) != 0) a.width = a.unit / a.pack;
}

// At most eight hues across and sixteen down.
void chooseHues(Array& a) {
  const i64 units = std::max<i64>(ceilDiv(a.addressing.slots(), a.unit), 1);
  a.hueAcross = std::max<i64>(ceilDiv(a.unitsAcross, 8), 1);
  a.hueDown = std::max<i64>(ceilDiv(ceilDiv(units, a.unitsAcross), 16), 1);
}

Result<ArrayPtr> arrayOf(const XlaShape& shape, const std::vector<std::string>& words, i64* slotsARow) {
  Result<XlaAddressing> made = XlaAddressing::create(shape);
  if (!made) return made.error();
  if (made->elements() == 0)
    return Diag{fmt::format("{} has no elements, there is nothing to draw", print(shape)), "sizes >= 1", "", {}};
  Array a;
  a.addressing = *std::move(made);
  a.sizes = shape.sizes();
  a.domain = pointDomain(a.sizes);
  a.padded = a.addressing.slots() != a.addressing.elements();
  measure(a);
  chooseHues(a);
  TESSERA_TRY(const Map map, toMap(shape));
  a.slotOf = std::make_shared<PointEvaluator>(map);
  for (const std::string& word : words) {
    i64 n = 0;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), n);
    const bool number = parsed.ec == std::errc() && parsed.ptr == word.data() + word.size();
    if (word == "tile") {
      a.colour = Colour::Tile;
    } else if (word == "address") {
      a.colour = Colour::Address;
    } else if (word == "padding") {
      a.colour = Colour::Padding;
    } else if (word == "slot") {
      a.label = Label::Slot;
    } else if (word == "coord") {
      a.label = Label::Coord;
    } else if (slotsARow != nullptr && number && n >= 1 && n <= 65536) {
      *slotsARow = n;
    } else {
      return Diag{fmt::format("this view knows no \"{}\"", word),
                  "tile, address, padding (colour); slot, coord (label)",
                  "",
                  {}};
    }
  }
  return ArrayPtr(std::make_shared<Array>(std::move(a)));
}

// ---- tensor ----

struct Plane {
  int rowDim = -1, colDim = -1;  // -1: none
  i64 rows = 1, cols = 1;        // with padding
  i64 wrap = 0;                  // rank 1: columns a row
  std::vector<i64> fixed;
};

class TensorCells : public CellSource {
 public:
  TensorCells(ArrayPtr array, Plane plane) : a_(std::move(array)), p_(std::move(plane)) {}

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell cell;
    std::vector<i64> index;
    const Kind kind = indexAt(row, col, index);
    if (kind == Kind::Outside) return cell;
    const i64 slot = a_->addressing.linear(index);
    cell.paint = a_->paintOf(slot, kind == Kind::Padding);
    if (kind == Kind::Padding) return cell;
    cell.label = a_->label == Label::Coord ? bare(index) : fmt::format("{}", slot);
    cell.point = a_->pointOf(index);
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    static thread_local std::vector<i64> index;
    const Kind kind = indexAt(row, col, index);
    if (kind == Kind::Outside) return {};
    if (kind == Kind::Padding) return a_->paintOf(0, true);
    return a_->paintOf(a_->slotOf->value(index), false);
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    if (limit < 1 || !a_->owns(point)) return {};
    const std::vector<i64> index = a_->indexOf(point);
    if (p_.wrap > 0) return {{index[0] / p_.wrap, index[0] % p_.wrap}};
    for (std::size_t k = 0; k < index.size(); ++k) {
      if (static_cast<int>(k) != p_.rowDim && static_cast<int>(k) != p_.colDim && index[k] != p_.fixed[k]) return {};
    }
    const auto part = [&](int dim) { return dim < 0 ? i64{0} : index[static_cast<std::size_t>(dim)]; };
    return {{part(p_.rowDim), part(p_.colDim)}};
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    if (p_.wrap > 0) return p_.rows == 1 ? "" : fmt::format("{}", row * p_.wrap);
    return p_.rowDim < 0 ? "" : fmt::format("{}", row);
  }
  [[nodiscard]] std::string colHeader(i64 col) const override {
    if (p_.colDim < 0) return "";
    return fmt::format("{}{}", p_.wrap > 0 && p_.rows > 1 ? "+" : "", col);
  }

 private:
  enum class Kind : unsigned char { Real, Padding, Outside };
  Kind indexAt(i64 row, i64 col, std::vector<i64>& index) const {
    index = p_.fixed;
    if (p_.wrap > 0) {
      index[0] = row * p_.wrap + col;
    } else {
      if (p_.rowDim >= 0) index[static_cast<std::size_t>(p_.rowDim)] = row;
      if (p_.colDim >= 0) index[static_cast<std::size_t>(p_.colDim)] = col;
    }
    Kind kind = Kind::Real;
    for (const int dim : {p_.rowDim, p_.colDim}) {
      if (dim >= 0 && index[static_cast<std::size_t>(dim)] >= a_->sizes[static_cast<std::size_t>(dim)])
        kind = Kind::Padding;
    }
    if (p_.wrap > 0 && index[0] >= roundUp(a_->sizes[0], tileOf(*a_, 0))) kind = Kind::Outside;
    return kind;
  }

 public:
  // What the top tile cuts the n-th most minor dimension into; 1 where it does not, or merges.
  static i64 tileOf(const Array& a, std::size_t minor) {
    const auto& tiles = a.addressing.shape().layout().tiles;
    if (tiles.empty() || minor >= tiles.front().size()) return 1;
    const std::vector<i64>& tile = tiles.front();
    if (std::find(tile.begin(), tile.end(), kXlaCombine) != tile.end()) return 1;
    return tile[tile.size() - 1 - minor];
  }

 private:
  ArrayPtr a_;
  Plane p_;
};

void fitGrid(Figure& figure, Grid grid, double top) {
  const Margins m = headerMargins(grid);
  grid.x = m.left;
  grid.y = top + m.top;
  figure.grids.push_back(std::move(grid));
  fitSize(figure);
}

int digitsOf(i64 n) { return static_cast<int>(fmt::format("{}", n).size()); }

int labelWidth(const Array& a, Label label) {
  if (label == Label::Slot) return digitsOf(a.addressing.slots() - 1);
  std::vector<i64> last = a.sizes;
  for (i64& n : last) --n;
  return std::max(1, static_cast<int>(bare(last).size()));
}

// 12 when the next wider gap would only come after the last cell.
i64 groupUnless(i64 group, i64 cells) { return group > 1 && group < cells ? group : 0; }

Figure onePlane(const ArrayPtr& a, const Plane& plane, const std::vector<std::string>& names, i64 rowTile,
                i64 colTile) {
  Grid grid;
  grid.rows = plane.rows;
  grid.cols = plane.cols;
  grid.labelChars = labelWidth(*a, a->label);
  grid.cellWidth = pitchFor(grid.labelChars);
  grid.rowGroup = groupUnless(rowTile, plane.rows);
  grid.colGroup = groupUnless(colTile, plane.cols);
  if (plane.rowDim >= 0) grid.rowTitle = names[static_cast<std::size_t>(plane.rowDim)];
  if (plane.colDim >= 0) grid.colTitle = names[static_cast<std::size_t>(plane.colDim)];
  grid.cells = std::make_shared<TensorCells>(a, plane);
  Figure figure;
  fitGrid(figure, std::move(grid), 0);
  return figure;
}

Plane planeOf(const Array& a, const DrawOptions& options) {
  Plane p;
  p.fixed.assign(a.sizes.size(), 0);
  const std::vector<i64>& order = a.addressing.shape().layout().minorToMajor;
  if (order.empty()) return p;
  if (order.size() == 1) {
    p.colDim = 0;
    const i64 all = roundUp(a.sizes[0], TensorCells::tileOf(a, 0));
    p.wrap = all <= 64 ? all : a.width <= 1024 && a.width > 1 && a.width < all ? a.width : 64;
    p.cols = std::min(all, p.wrap);
    p.rows = ceilDiv(all, p.wrap);
    return p;
  }
  const int a0 = static_cast<int>(order[0]), a1 = static_cast<int>(order[1]);
  p.rowDim = options.rowMode.value_or(std::min(a0, a1));
  p.colDim = options.colMode.value_or(std::max(a0, a1));
  return p;
}

Result<void> checkDims(const Plane& p, const Array& a, const DrawOptions& options) {
  const int rank = static_cast<int>(a.sizes.size());
  for (const int dim : {p.rowDim, p.colDim}) {
    if (dim >= rank)
      return Diag{fmt::format("there is no dimension {}", dim), fmt::format("0 to {}", rank - 1), "", {}};
  }
  if (rank > 1 && p.rowDim == p.colDim)
    return Diag{fmt::format("dimension {} cannot be both rows and columns", p.rowDim), "two dimensions", "", {}};
  for (const auto& [dim, value] : options.fixed) {
    if (dim < 0 || dim >= rank || value < 0 || value >= a.sizes[static_cast<std::size_t>(dim)])
      return Diag{fmt::format("dimension {} cannot be fixed at {}", dim, value), "an index inside", "", {}};
  }
  return {};
}

i64 tileAlong(const Array& a, int dim) {
  const std::vector<i64>& order = a.addressing.shape().layout().minorToMajor;
  for (std::size_t minor = 0; minor < order.size(); ++minor) {
    if (order[minor] == dim) return TensorCells::tileOf(a, minor);
  }
  return 1;
}

// A plane with more cells than this stands alone: its neighbours would be off every screen.
constexpr i64 kFacetCells = i64{1} << 18;

// Facets side by side, with the fixed dimensions named above each.
std::string addFacets(Figure& figure, const ArrayPtr& a, Plane p, const DrawOptions& options,
                      const std::vector<std::string>& names) {
  std::vector<std::size_t> others;
  double total = 1;
  for (std::size_t k = 0; k < a->sizes.size(); ++k) {
    const int dim = static_cast<int>(k);
    const bool fixed = std::any_of(options.fixed.begin(), options.fixed.end(), [&](auto f) { return f.first == dim; });
    if (dim == p.rowDim || dim == p.colDim || fixed) continue;
    others.push_back(k);
    total *= static_cast<double>(a->sizes[k]);
  }
  const i64 rowTile = tileAlong(*a, p.rowDim), colTile = p.wrap > 0 ? 0 : tileAlong(*a, p.colDim);
  if (p.wrap == 0 && p.rowDim >= 0) p.rows = roundUp(a->sizes[static_cast<std::size_t>(p.rowDim)], rowTile);
  if (p.wrap == 0 && p.colDim >= 0) p.cols = roundUp(a->sizes[static_cast<std::size_t>(p.colDim)], colTile);
  const bool huge = static_cast<double>(p.rows) * static_cast<double>(p.cols) > static_cast<double>(kFacetCells);
  const auto shown = static_cast<i64>(std::min(total, huge ? 1.0 : static_cast<double>(kMaxFacets)));
  double x = 0, y = 0, height = 0;
  for (i64 n = 0; n < shown; ++n) {
    i64 rest = n;
    std::string label;
    for (std::size_t k = others.size(); k-- > 0;) {
      const std::size_t dim = others[k];
      p.fixed[dim] = rest % a->sizes[dim];
      rest /= a->sizes[dim];
      if (a->sizes[dim] > 1)
        label = fmt::format("{} = {}{}{}", names[dim], p.fixed[dim], label.empty() ? "" : "   ", label);
    }
    const Figure part = onePlane(a, p, names, rowTile, p.wrap > 0 && p.rows > 1 ? 0 : colTile);
    if (n > 0 && (x + part.width > 1000 || part.width > 500)) {
      x = 0;
      y += height + 20;
    }
    const double below = label.empty() ? 0 : 18;
    place(figure, part, x, y + below);
    figure.grids.back().name = label;
    if (!label.empty())
      figure.marks.push_back(
          textMark(figure.grids.back().x, y + 8, label, kType.small, Face::SansMedium, Align::Left, Role::Muted));
    x += part.width + 24;
    height = part.height + below;
  }
  fitSize(figure);
  return total > static_cast<double>(shown)
             ? fmt::format("Slice {} of {:.0f}. ", shown == 1 ? "1" : fmt::format("1 to {}", shown), total)
             : "";
}

// ---- physical and tiles ----

class SlotCells : public CellSource {
 public:
  SlotCells(ArrayPtr array, i64 width) : a_(std::move(array)), width_(width) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell cell;
    const i64 slot = row * width_ + col;
    if (slot >= a_->addressing.slots()) return cell;
    const XlaAddressing::Slot found = a_->addressing.at(slot);
    cell.paint = a_->paintOf(slot, found.padding);
    if (found.padding) return cell;
    cell.label = bare(found.index);
    cell.point = a_->pointOf(found.index);
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const i64 slot = row * width_ + col;
    if (slot >= a_->addressing.slots()) return {};
    return a_->paintOf(slot, a_->padded && a_->addressing.at(slot).padding);
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    if (limit < 1 || !a_->owns(point)) return {};
    const i64 slot = a_->addressing.linear(a_->indexOf(point));
    return {{slot / width_, slot % width_}};
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override { return fmt::format("{}", row * width_); }
  [[nodiscard]] std::string colHeader(i64 col) const override { return fmt::format("+{}", col); }

 private:
  ArrayPtr a_;
  i64 width_;
};

// Units as rectangles of words, laid out as the tiles lie.
class WordCells : public CellSource {
 public:
  explicit WordCells(ArrayPtr array) : a_(std::move(array)), rows_(a_->unit / a_->pack / a_->width) {
    far_ = a_->unitsAcross * a_->width > kAveraged ||
           a_->addressing.slots() / a_->unit / a_->unitsAcross * rows_ > kAveraged;
  }
  [[nodiscard]] i64 rowsOfUnit() const { return rows_; }
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell cell;
    const i64 first = slotAt(row, col);
    if (first >= a_->addressing.slots()) return cell;
    bool padding = true;
    for (i64 k = 0; k < a_->pack; ++k) {
      const XlaAddressing::Slot found = a_->addressing.at(first + k);
      if (found.padding) continue;
      if (padding) {
        cell.label = bare(found.index);
        cell.point = a_->pointOf(found.index);
      } else {
        cell.second =
            k == 1 ? bare(found.index) : cell.second.substr(0, cell.second.find(' ')) + fmt::format(" +{}", k - 1);
      }
      padding = false;
    }
    cell.paint = a_->paintOf(first, padding);
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const i64 first = slotAt(row, col);
    if (first >= a_->addressing.slots()) return {};
    bool padding = a_->padded;
    for (i64 k = 0; k < a_->pack && padding; ++k) padding = a_->addressing.at(first + k).padding;
    return a_->paintOf(first, padding);
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    if (limit < 1 || !a_->owns(point)) return {};
    const i64 slot = a_->addressing.linear(a_->indexOf(point));
    const i64 number = slot / a_->unit, word = slot % a_->unit / a_->pack;
    return {
        {number / a_->unitsAcross * rows_ + word / a_->width, number % a_->unitsAcross * a_->width + word % a_->width}};
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    return far_ ? fmt::format("tile {}", row / rows_) : fmt::format("{}", row % rows_);
  }
  [[nodiscard]] std::string colHeader(i64 col) const override {
    return far_ ? fmt::format("tile {}", col / a_->width) : fmt::format("{}", col % a_->width);
  }

 private:
  [[nodiscard]] i64 slotAt(i64 row, i64 col) const {
    const i64 number = row / rows_ * a_->unitsAcross + col / a_->width;
    return number * a_->unit + (row % rows_ * a_->width + col % a_->width) * a_->pack;
  }
  ArrayPtr a_;
  i64 rows_;
  bool far_ = false;  // the headers count tiles, since sublanes and lanes are too small to see
};

// ---- what stands around ----

std::string spaceText(i64 space) { return memorySpaceName(space) + (space == 1 ? " (TPU)" : ""); }

// A row of badges: where it lives, its type, its tiles, its padding. Returns the height.
double addBadges(Figure& figure, const XlaShape& shape, const XlaSizes& sizes) {
  const XlaLayout& layout = shape.layout();
  std::vector<std::pair<std::string, Role>> badges;
  badges.emplace_back(fmt::format("S({}) {}", layout.memorySpace, spaceText(layout.memorySpace)),
                      layout.memorySpace == 0 ? Role::Muted : Role::Accent);
  badges.emplace_back(fmt::format("{}, {} bit a slot", shape.type().name, shape.storedBits()), Role::Muted);
  XlaLayout tilesOnly;
  tilesOnly.tiles = layout.tiles;
  std::string tiles = print(tilesOnly);
  badges.emplace_back(tiles.empty() ? "no tiles" : tiles.substr(2, tiles.size() - 3), Role::Muted);
  badges.emplace_back(fmt::format("{:.4g} % padding", sizes.waste), sizes.waste > 0 ? Role::Refuted : Role::Muted);
  double x = 0;
  for (const auto& [text, role] : badges) {
    const double w = textWidth(text, Face::Mono, kType.small) + 14;
    figure.marks.push_back(boxMark({x, 0, w, 19}, {Role::Panel}, {Role::Hairline}, 9));
    figure.marks.push_back(textMark(x + 7, 9.5, text, kType.small, Face::Mono, Align::Left, role));
    x += w + 8;
  }
  return 30;
}

std::string colourText(const Array& a) {
  const bool tiled = !a.addressing.shape().layout().tiles.empty();
  switch (a.colour) {
    case Colour::Address:
      return "one hue is an eighth of the memory";
    case Colour::Padding:
      return "padding is hot";
    case Colour::Tile:
      break;
  }
  if (a.hueDown * a.hueAcross > 1) {
    return tiled ? fmt::format("one hue is {} x {} tiles, every other one darker", a.hueDown, a.hueAcross)
                 : fmt::format("one hue is {} minor rows", a.hueDown);
  }
  return tiled ? "one hue is one tile" : "one hue is one minor row";
}

struct Head {
  std::string title, what;
};
Figure headed(const XlaShape& shape, const DrawOptions& options, const Head& head, Figure part, const Array& a) {
  const XlaSizes sizes = *xlaSizes(shape);
  Figure figure;
  // A picture that is shown from afar shrinks, badges would run together: its subtitle says the same.
  const bool far = std::any_of(part.grids.begin(), part.grids.end(), [](const Grid& g) {
    return g.rows > kAveraged || g.cols > kAveraged || g.rows * g.cols > kAveraged * 256;
  });
  place(figure, part, 0, far ? 0 : addBadges(figure, shape, sizes));
  fitSize(figure);
  figure.title = options.name.empty() ? head.title : fmt::format("{}: {}", options.name, head.title);
  figure.subtitle = print(shape);
  if (far) figure.subtitle += fmt::format("   in {}", spaceText(shape.layout().memorySpace));
  figure.caption = fmt::format("{}{} {}; {}{}.", part.caption, describe(sizes) + ".", head.what, colourText(a),
                               a.padded && a.colour != Colour::Padding ? ", padding is hatched" : "");
  return figure;
}

Result<Figure> tensorFigure(const XlaShape& shape, const DrawOptions& options) {
  TESSERA_TRY(const ArrayPtr a, arrayOf(shape, options.arguments, nullptr));
  Plane plane = planeOf(*a, options);
  TESSERA_CHECKED(checkDims(plane, *a, options));
  for (const auto& [dim, value] : options.fixed) plane.fixed[static_cast<std::size_t>(dim)] = value;
  Figure part;
  part.caption = addFacets(part, a, plane, options, xlaDimensionNames(shape.rank()));
  return headed(shape, options,
                {"Tensor", a->label == Label::Slot ? "Each element shows its slot" : "Each element shows its index"},
                std::move(part), *a);
}

Result<Figure> physicalFigure(const XlaShape& shape, const DrawOptions& options) {
  i64 width = 0;
  TESSERA_TRY(const ArrayPtr a, arrayOf(shape, options.arguments, &width));
  const i64 row = a->width * a->pack;
  if (width == 0) width = a->unit <= 32 ? a->unit : row <= 4096 ? row : 64;
  if (options.arguments.empty() && width < 4) width *= ceilDiv(8, width);
  while (options.arguments.empty() && a->addressing.slots() / width > 4 * width && width < (i64{1} << 30)) width *= 2;
  Grid grid;
  grid.rows = ceilDiv(a->addressing.slots(), width);
  grid.cols = std::min(width, a->addressing.slots());
  grid.labelChars = labelWidth(*a, Label::Coord);
  grid.cellWidth = pitchFor(grid.labelChars);
  grid.rowGroup = a->unit % width == 0 ? groupUnless(a->unit / width, grid.rows) : 0;
  grid.colGroup = groupUnless(a->unit < width && width % a->unit == 0 ? a->unit : a->pack, grid.cols);
  grid.rowTitle = "slot";
  grid.cells = std::make_shared<SlotCells>(a, width);
  Figure part;
  fitGrid(part, std::move(grid), 0);
  return headed(shape, options, {"Memory in order", "Each slot shows the index of its element"}, std::move(part), *a);
}

Result<Figure> tilesFigure(const XlaShape& shape, const DrawOptions& options) {
  TESSERA_TRY(const ArrayPtr a, arrayOf(shape, options.arguments, nullptr));
  auto cells = std::make_shared<WordCells>(a);
  Grid grid;
  const i64 units = ceilDiv(a->addressing.slots(), a->unit);
  grid.rows = ceilDiv(units, a->unitsAcross) * cells->rowsOfUnit();
  grid.cols = a->unitsAcross * a->width;
  grid.labelChars = labelWidth(*a, Label::Coord);
  grid.cellWidth = pitchFor(grid.labelChars);
  grid.cellHeight = a->pack > 1 ? 32 : 26;
  grid.rowGroup = groupUnless(cells->rowsOfUnit(), grid.rows);
  grid.colGroup = groupUnless(a->width, grid.cols);
  const bool far = grid.rows > kAveraged || grid.cols > kAveraged;
  grid.rowTitle = far ? "" : "sublane";
  grid.colTitle = far ? "" : "lane";
  grid.cells = std::move(cells);
  Figure part;
  fitGrid(part, std::move(grid), 0);
  const std::string words = a->pack > 1 ? fmt::format(", {} elements a word", a->pack) : "";
  return headed(shape, options,
                {"Tiles", fmt::format("A tile is {} x {} words{}, in the order of memory", a->unit / a->pack / a->width,
                                      a->width, words)},
                std::move(part), *a);
}

using DrawOne = Result<Figure> (*)(const XlaShape&, const DrawOptions&);

// The arrays of a tuple or of an instruction line, one below the other.
Result<Figure> drawEach(const Value& value, const DrawOptions& options, DrawOne one) {
  constexpr std::size_t kMost = 6;
  std::vector<std::pair<std::string, XlaShape>> named;
  if (const auto* line = std::get_if<XlaInstruction>(&value)) {
    named = line->namedShapes();
  } else {
    named.emplace_back(options.name, std::get<XlaShape>(value));
  }
  std::vector<std::pair<std::string, const XlaShape*>> arrays;
  for (const auto& [name, shape] : named) {
    for (const XlaShape* array : shape.arrays()) arrays.emplace_back(name, array);
  }
  if (arrays.empty()) return Diag{fmt::format("{} holds no array", print(value)), "an array such as f32[3,5]", "", {}};
  DrawOptions inner = options;
  inner.name = arrays.front().first;
  if (arrays.size() == 1) return one(*arrays.front().second, inner);
  Figure all;
  all.title = options.name.empty() ? "Arrays" : options.name;
  all.subtitle = print(value);
  double y = 0;
  for (std::size_t k = 0; k < std::min(arrays.size(), kMost); ++k) {
    TESSERA_TRY(const Figure part, one(*arrays[k].second, options));
    const std::string& name = arrays[k].first;
    all.marks.push_back(textMark(0, y + 8, name + (name.empty() ? "" : "  ") + print(*arrays[k].second), kType.subtitle,
                                 Face::Mono, Align::Left, Role::Text));
    place(all, part, 0, y + 24, fmt::format("{}", k));
    y += part.height + 54;
  }
  if (arrays.size() > kMost) all.caption = fmt::format("The first {} of {} arrays.", kMost, arrays.size());
  fitSize(all);
  return all;
}

}  // namespace

Result<Figure> drawXlaTensor(const Value& value, const DrawOptions& options) {
  return drawEach(value, options, tensorFigure);
}
Result<Figure> drawXlaPhysical(const Value& value, const DrawOptions& options) {
  return drawEach(value, options, physicalFigure);
}
Result<Figure> drawXlaTiles(const Value& value, const DrawOptions& options) {
  return drawEach(value, options, tilesFigure);
}

}  // namespace tessera
