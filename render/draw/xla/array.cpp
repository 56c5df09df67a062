#include "render/draw/xla/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/words.h"

namespace tessera::xla_draw {

std::string bare(const std::vector<i64>& index) { return fmt::format("{}", fmt::join(index, ",")); }

i64 tileOf(const Array& a, std::size_t minor) {
  const auto& tiles = a.addressing.shape().layout().tiles;
  if (tiles.empty() || minor >= tiles.front().size()) return 1;
  const std::vector<i64>& tile = tiles.front();
  if (std::ranges::find(tile, xla::kCombine) != tile.end()) return 1;
  return tile[tile.size() - 1 - minor];
}

namespace {

i64 productOf(const std::vector<i64>& factors) { return *xla::product(factors); }

// Computes the unit, its words, and the number of units side by side.
void measure(Array& a) {
  const xla::Expansion& expansion = a.addressing.expansion();
  if (expansion.steps.empty()) {
    a.unit = a.width = std::max<i64>(a.sizes.empty() ? 1 : a.sizes[expansion.order.back()], 1);
    return;
  }
  const xla::Step& top = expansion.steps.front();
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

class TensorCells : public CellSource {
 public:
  TensorCells(ArrayPtr array, ModePage page) : a_(std::move(array)), p_(std::move(page)) {}

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    std::vector<i64> index;
    const Kind kind = indexAt(row, col, index);
    if (kind == Kind::Outside) return {};
    const i64 slot = a_->addressing.linear(index);
    const Paint paint = a_->paintOf(slot, kind == Kind::Padding);
    if (kind == Kind::Padding) return {"", "", paint};
    return {a_->label == Label::Coord ? bare(index) : fmt::format("{}", slot), "", paint, a_->pointOf(index)};
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
    return p_.find(a_->indexOf(point));
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override { return p_.rowHeader(row); }
  [[nodiscard]] std::string colHeader(i64 col) const override { return p_.colMode < 0 ? "" : p_.colHeader(col); }

 private:
  enum class Kind : unsigned char { Real, Padding, Outside };
  Kind indexAt(i64 row, i64 col, std::vector<i64>& index) const {
    p_.coordAt(row, col, index);
    Kind kind = Kind::Real;
    for (const int dim : {p_.rowMode, p_.colMode}) {
      if (dim >= 0 && index[static_cast<std::size_t>(dim)] >= a_->sizes[static_cast<std::size_t>(dim)])
        kind = Kind::Padding;
    }
    if (p_.wrap > 0 && index[0] >= roundUp(a_->sizes[0], tileOf(*a_, 0))) kind = Kind::Outside;
    return kind;
  }

  ArrayPtr a_;
  ModePage p_;
};

// Slots as words of `pack` elements, in units of `rows` x `width` words, `across` of which are side by side.
struct SlotGrid {
  i64 rows = 1, width = 1, across = 1, pack = 1;
  enum class Headers : unsigned char { Slots, Words, Units } headers = Headers::Slots;
};

class SlotCells : public CellSource {
 public:
  SlotCells(ArrayPtr array, SlotGrid grid) : a_(std::move(array)), g_(grid) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell cell;
    const i64 first = slotAt(row, col);
    if (first >= a_->addressing.slots()) return cell;
    bool padding = true;
    for (i64 k = 0; k < g_.pack; ++k) {
      const xla::Addressing::Slot found = a_->addressing.at(first + k);
      if (found.padding) continue;
      if (padding) {
        cell.label = bare(found.index);
        cell.point = a_->pointOf(found.index);
      } else {
        cell.also.push_back(a_->pointOf(found.index));
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
    for (i64 k = 0; k < g_.pack && padding; ++k) padding = a_->addressing.at(first + k).padding;
    return a_->paintOf(first, padding);
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    if (limit < 1 || !a_->owns(point)) return {};
    const i64 slot = a_->addressing.linear(a_->indexOf(point)), unit = g_.rows * g_.width * g_.pack;
    const i64 number = slot / unit, word = slot % unit / g_.pack;
    return {{number / g_.across * g_.rows + word / g_.width, number % g_.across * g_.width + word % g_.width}};
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    if (g_.headers == SlotGrid::Headers::Slots) return fmt::format("{}", row * g_.width);
    return g_.headers == SlotGrid::Headers::Units ? fmt::format("tile {}", row / g_.rows)
                                                  : fmt::format("{}", row % g_.rows);
  }
  [[nodiscard]] std::string colHeader(i64 col) const override {
    if (g_.headers == SlotGrid::Headers::Slots) return fmt::format("+{}", col);
    return g_.headers == SlotGrid::Headers::Units ? fmt::format("tile {}", col / g_.width)
                                                  : fmt::format("{}", col % g_.width);
  }

 private:
  [[nodiscard]] i64 slotAt(i64 row, i64 col) const {
    const i64 number = row / g_.rows * g_.across + col / g_.width;
    return (number * g_.rows * g_.width + row % g_.rows * g_.width + col % g_.width) * g_.pack;
  }
  ArrayPtr a_;
  SlotGrid g_;
};

}  // namespace

Result<ArrayPtr> arrayOf(const xla::Shape& shape, const std::vector<std::string>& words, i64* slotsARow) {
  Array a;
  TESSERA_TRY(a.addressing, xla::Addressing::create(shape));
  if (a.addressing.elements() == 0) return Diag{fmt::format("{} has no elements to draw", print(shape)), "sizes >= 1"};
  a.sizes = shape.sizes();
  a.domain = pointDomain(a.sizes);
  a.padded = a.addressing.slots() != a.addressing.elements();
  measure(a);
  chooseHues(a);
  TESSERA_TRY(const Map map, toMap(shape));
  a.slotOf = std::make_shared<PointEvaluator>(map);
  for (const std::string& word : words) {
    const auto n = wholeNumber(word);
    if (takeWord(kColourWords, word, a.colour) || takeWord(kLabelWords, word, a.label) ||
        takeWord(kColumnWords, word, a.brief))
      continue;
    if (slotsARow != nullptr && n && *n >= 1 && *n <= 65536) {
      *slotsARow = *n;
    } else {
      return Diag{fmt::format("this view knows no \"{}\"", word),
                  "tile, address, padding (colour); slot, coord (label); all, brief (columns)"};
    }
  }
  return ArrayPtr(std::make_shared<Array>(std::move(a)));
}

std::shared_ptr<const CellSource> tensorCells(ArrayPtr array, ModePage page) {
  return std::make_shared<TensorCells>(std::move(array), std::move(page));
}
std::shared_ptr<const CellSource> slotCells(const ArrayPtr& array, i64 width) {
  return std::make_shared<SlotCells>(array, SlotGrid{1, width, 1, 1});
}
std::shared_ptr<const CellSource> wordCells(const ArrayPtr& array) {
  const Array& a = *array;
  SlotGrid grid{a.unit / a.pack / a.width, a.width, a.unitsAcross, a.pack, SlotGrid::Headers::Words};
  // Headers count tiles if sublanes and lanes are too small to see.
  if (a.unitsAcross * a.width > kAveraged || a.addressing.slots() / a.unit / a.unitsAcross * grid.rows > kAveraged)
    grid.headers = SlotGrid::Headers::Units;
  return std::make_shared<SlotCells>(array, grid);
}

}  // namespace tessera::xla_draw
