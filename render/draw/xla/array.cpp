#include "render/draw/xla/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/arith.h"

namespace tessera::xla_draw {

std::string bare(const std::vector<i64>& index) { return fmt::format("{}", fmt::join(index, ",")); }

i64 tileOf(const Array& a, std::size_t minor) {
  const auto& tiles = a.addressing.shape().layout().tiles;
  if (tiles.empty() || minor >= tiles.front().size()) return 1;
  const std::vector<i64>& tile = tiles.front();
  if (std::find(tile.begin(), tile.end(), xla::kCombine) != tile.end()) return 1;
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
  TensorCells(ArrayPtr array, const Plane& p)
      : a_(std::move(array)), p_{p.choice.rowMode, p.choice.colMode, p.wrap, p.rows, p.cols, p.choice.fixed} {}

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

class SlotCells : public CellSource {
 public:
  SlotCells(ArrayPtr array, i64 width) : a_(std::move(array)), width_(width) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell cell;
    const i64 slot = row * width_ + col;
    if (slot >= a_->addressing.slots()) return cell;
    const xla::Addressing::Slot found = a_->addressing.at(slot);
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

// Units as rectangles of words, arranged like the tiles.
class WordCells : public CellSource {
 public:
  explicit WordCells(ArrayPtr array) : a_(std::move(array)), rows_(a_->unit / a_->pack / a_->width) {
    far_ = a_->unitsAcross * a_->width > kAveraged ||
           a_->addressing.slots() / a_->unit / a_->unitsAcross * rows_ > kAveraged;
  }
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell cell;
    const i64 first = slotAt(row, col);
    if (first >= a_->addressing.slots()) return cell;
    bool padding = true;
    for (i64 k = 0; k < a_->pack; ++k) {
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
  bool far_ = false;  // headers count tiles, because sublanes and lanes are too small to see
};

}  // namespace

Result<ArrayPtr> arrayOf(const xla::Shape& shape, const std::vector<std::string>& words, i64* slotsARow) {
  Result<xla::Addressing> made = xla::Addressing::create(shape);
  if (!made) return made.error();
  if (made->elements() == 0)
    return Diag{fmt::format("{} has no elements, there is nothing to draw", print(shape)), "sizes >= 1"};
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
    const auto n = numberIn(word);
    bool brief = false;
    if (takeWord(kColourWords, word, a.colour) || takeWord(kLabelWords, word, a.label)) continue;
    if (takeWord(kColumnWords, word, brief)) {
      a.brief = brief;
    } else if (slotsARow != nullptr && n && *n >= 1 && *n <= 65536) {
      *slotsARow = *n;
    } else {
      return Diag{fmt::format("this view knows no \"{}\"", word),
                  "tile, address, padding (colour); slot, coord (label); all, brief (columns)"};
    }
  }
  return ArrayPtr(std::make_shared<Array>(std::move(a)));
}

std::shared_ptr<const CellSource> tensorCells(ArrayPtr array, const Plane& plane) {
  return std::make_shared<TensorCells>(std::move(array), plane);
}
std::shared_ptr<const CellSource> slotCells(ArrayPtr array, i64 width) {
  return std::make_shared<SlotCells>(std::move(array), width);
}
std::shared_ptr<const CellSource> wordCells(ArrayPtr array) { return std::make_shared<WordCells>(std::move(array)); }

}  // namespace tessera::xla_draw
