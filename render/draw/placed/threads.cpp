// threads: the tensor as a grid; each cell shows the thread that holds the element and its register.
//
//     S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp over (8,16)
//     cell (2,9):   W6,10 T8     two warps keep a copy
//                   r1
//
// A CuTe layout (thread, value) is drawn as the tile that it holds: "threads 16x8".
//
// The hue is the outermost thread axis with more than one value (device, warp; within one warp: quads of lanes); the
// lightness is the next axis.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/base/arith.h"
#include "core/notation/convert.h"
#include "core/notation/linear/notation.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/words.h"
#include "render/draw/links.h"
#include "render/draw/placed/placed.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

using PlacedPtr = std::shared_ptr<const Placed>;

i64 valueOn(const axe::Place& place, const std::string& axis) {
  const auto it = place.find(axis);
  return it == place.end() ? 0 : it->second;
}

class PlacedCells : public CellSource {
 public:
  explicit PlacedCells(PlacedPtr placed) : p_(std::move(placed)) {
    const std::string lane = laneAxis(*p_), warp = warpAxis(*p_), device = deviceAxis(*p_);
    for (const std::string& axis : {device, warp, lane}) {
      if (!axis.empty() && axis != axe::kMemoryAxis) owners_.push_back(axis);
    }
    for (const std::string& axis : p_->axes()) {
      if (std::find(owners_.begin(), owners_.end(), axis) == owners_.end()) rest_.push_back(axis);
    }
    for (const std::string& axis : owners_) {
      if (p_->extentOf(axis) > 1) varying_.push_back(axis);
    }
  }

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const i64 linear = row * p_->columns() + col;
    const std::vector<axe::Place> places = p_->places(linear);
    Cell cell;
    cell.paint = paintOf(places.front());
    cell.point = p_->pointOf(linear);
    cell.label = labelOf(places, owners_);
    cell.second = labelOf(places, rest_);
    if (cell.label.empty()) std::swap(cell.label, cell.second);
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    return paintOf(p_->places(row * p_->columns() + col).front());
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    const auto linear = p_->linearOf(point);
    if (!linear || limit < 1) return {};
    return {{*linear / p_->columns(), *linear % p_->columns()}};
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    if (p_->rows() == 1) return "";
    if (p_->shape().size() == 1) return fmt::format("{}", row * p_->columns());
    if (p_->shape().size() == 2) return fmt::format("{}", row);
    std::vector<i64> coord = p_->coordOf(row * p_->columns());
    coord.pop_back();
    return coordText(coord);
  }

  [[nodiscard]] std::vector<std::string> fieldNames() const override {
    std::vector<std::string> names{"element"};
    names.insert(names.end(), owners_.begin(), owners_.end());
    names.insert(names.end(), rest_.begin(), rest_.end());
    return names;
  }
  // Replicas of an element have several values: "0 8 16".
  [[nodiscard]] std::vector<std::string> fields(i64 row, i64 col) const override {
    const i64 linear = row * p_->columns() + col;
    std::vector<std::string> out{coordText(p_->coordOf(linear))};
    const std::vector<axe::Place> places = p_->places(linear);
    for (const auto* axes : {&owners_, &rest_})
      for (const std::string& axis : *axes) {
        std::set<i64> values;
        for (const axe::Place& place : places) values.insert(valueOn(place, axis));
        out.push_back(fmt::format("{}", fmt::join(values, " ")));
      }
    return out;
  }

  [[nodiscard]] const std::vector<std::string>& owners() const { return owners_; }
  [[nodiscard]] const std::vector<std::string>& varying() const { return varying_; }
  [[nodiscard]] std::string hueText() const {
    if (varying_.empty()) return "";
    if (varying_.size() == 1 && varying_[0] == laneAxis(*p_)) {
      return p_->extentOf(varying_[0]) > 64 ? "one hue is 32 threads" : "one hue is four neighbouring lanes";
    }
    return "one hue is one " + varying_[0];
  }

 private:
  // "W6,10 T8": the values that the replicas take on each axis.
  [[nodiscard]] std::string labelOf(const std::vector<axe::Place>& places, const std::vector<std::string>& axes) const {
    std::string out;
    for (const std::string& axis : axes) {
      std::vector<i64> values;
      for (const axe::Place& place : places) {
        const i64 v = valueOn(place, axis);
        if (std::find(values.begin(), values.end(), v) == values.end()) values.push_back(v);
      }
      std::sort(values.begin(), values.end());
      if (values.size() == 1 && p_->extentOf(axis) == 1 && values[0] == 0) continue;
      std::string shown;
      if (values.size() > 2 && values.back() - values.front() + 1 == static_cast<i64>(values.size())) {
        shown = fmt::format("{}\u2013{}", values.front(), values.back());
      } else {
        for (std::size_t k = 0; k < values.size() && k < 3; ++k)
          shown += fmt::format("{}{}", k == 0 ? "" : ",", values[k]);
        if (values.size() > 3) shown += "\u2026";
      }
      out += (out.empty() ? "" : " ") + axisMark(axis) + shown;
    }
    return out;
  }

  [[nodiscard]] Paint paintOf(const axe::Place& place) const {
    const auto step = [](i64 v, i64 n) { return static_cast<int>(floorMod(v, n)); };
    if (varying_.empty()) {
      const i64 v = rest_.empty() ? 0 : valueOn(place, rest_.front());
      return {Role::Group, step(v / 4, 8), step(v, 4), 0};
    }
    const i64 first = valueOn(place, varying_[0]);
    if (varying_.size() == 1) {
      const bool wide = p_->extentOf(varying_[0]) > 64;
      if (varying_[0] != laneAxis(*p_)) return {Role::Group, step(first, 8), 1, 0};
      return {Role::Group, step(wide ? first / 32 : first / 4, 8), step(first, 4), 0};
    }
    const i64 second = valueOn(place, varying_[1]);
    const i64 quarter = std::max<i64>(1, p_->extentOf(varying_[1]) / 4);
    return {Role::Group, step(first, 8), step(second / quarter, 4), 0};
  }

  PlacedPtr p_;
  std::vector<std::string> owners_, rest_, varying_;
};

// "16x8" among the words after the view.
std::optional<std::vector<i64>> shapeIn(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t x = word.find('x');
    if (x == std::string::npos) continue;
    const auto rows = numberIn(word.substr(0, x)), columns = numberIn(word.substr(x + 1));
    if (rows && columns && *rows >= 1 && *columns >= 1) return std::vector<i64>{*rows, *columns};
  }
  return std::nullopt;
}

// (thread, value) -> colex index of a tile. The words give the tile's shape; by default it is nearly square, rather
// taller.
Result<linear::Layout> heldTile(const cute::Layout& layout, const DrawOptions& options) {
  std::vector<i64> shape = shapeIn(options.arguments).value_or(std::vector<i64>{});
  if (shape.empty()) {
    i64 rows = 1;
    while (rows * rows < layout.cosize()) rows *= 2;
    shape = {rows, std::max<i64>(1, layout.cosize() / rows)};
  }
  Result<linear::Layout> linear = threadValueToLinear(layout, shape);
  if (!linear && linear.error().hint.empty()) linear.error().hint = "as threads 16x8 names the tile";
  return linear;
}

}  // namespace

namespace {
// The layout as (thread, value), if it has that form.
std::optional<cute::Layout> threadValueIn(const Layout& layout) {
  if (!layout.threadValueArrow()) return std::nullopt;
  const Result<cute::Layout> plain = plainCuteOf(layout);
  return plain ? std::optional(*plain) : std::nullopt;
}
}  // namespace

bool isThreadValue(const Layout& given) {
  constexpr i64 kMost = 1 << 16;
  const std::optional<cute::Layout> held = threadValueIn(given);
  if (!held) return false;
  const cute::Layout& layout = *held;
  if (layout.rank() != 2 || !layout.isPlain() || layout.size() > kMost || layout.cosize() != layout.size())
    return false;
  const cute::Layout threads = layout.mode(0), values = layout.mode(1);
  const bool nested = !threads.shape().isLeaf() || !values.shape().isLeaf();
  return (nested ? threads.size() >= 4 : threads.size() % 32 == 0) && heldTile(layout, {}).ok();
}

bool isFragment(const Layout& layout) {
  const std::optional<cute::Layout> held = threadValueIn(layout);
  if (!held || !isThreadValue(layout)) return false;
  const std::vector<cute::LayoutLeaf> lanes = flatLeaves(held->mode(0));
  return held->mode(0).size() % 32 == 0 && held->mode(1).size() <= held->mode(0).size() && lanes.size() > 1 &&
         lanes[0].stride.value() > lanes[1].stride.value() && lanes[1].stride.value() > 0;
}

Result<Figure> drawThreads(const Layout& given, const DrawOptions& options) {
  Layout shown = given;
  std::string read;
  const std::optional<cute::Layout> layout = threadValueIn(given);
  if (layout) {
    TESSERA_TRY(linear::Layout linear, heldTile(*layout, options));
    if (!shapeIn(options.arguments))
      read = fmt::format("Read as a tile of {} x {}, column by column (\"as threads 16x8\" names another). ",
                         linear.outs()[0].size, linear.outs()[1].size);
    shown = Layout(std::move(linear));
  }
  TESSERA_TRY(const PlacedPtr placed, Placed::of(shown));
  auto cells = std::make_shared<PlacedCells>(placed);
  Grid grid;
  grid.name = "threads";
  grid.rows = placed->rows();
  grid.cols = placed->columns();
  const auto [first, second] = longestLabels(*cells, grid.rows, grid.cols, 32);
  grid.labelChars = first;
  grid.secondChars = second;
  grid.lettered = cells->varying().size() <= 1;
  grid.cellWidth = pitchFor(std::max(first, second));
  if (second > 0) grid.cellHeight = 32;
  grid.cells = cells;
  const bool legible = grid.rows <= 1 << 12 && grid.cols <= 1 << 12;
  Figure figure = figureOf(std::move(grid));
  figure.legible = legible;
  figure.links.push_back({placedLink(placed), "", ""});
  if (layout) {  // the layout's own points, (thread, value), are elements of this tile
    const i64 size = placed->size();
    if (const auto subject = subjectOf(given)) {
      auto held = valueLink(*subject, (*subject)->domain, pointDomain(placed->shape()), size);
      if (held) figure.links.push_back({*std::move(held), "", ""});
      figure.links.push_back({firstModeLink(**subject), "", ""});
    }
  }
  figure.title = options.name.empty() ? std::string("Threads") : options.name + " as threads";
  figure.subtitle = layout ? print(given) : placed->text();
  figure.caption = fmt::format("{}{} elements", read, placed->size());
  for (const std::string& axis : placed->axes()) {
    const i64 extent = placed->extentOf(axis);
    if (extent > 1) figure.caption += fmt::format(", {} {} values", axis, extent);
  }
  if (placed->replicas() > 1) figure.caption += fmt::format("; every element is kept {} times", placed->replicas());
  const std::string hue = cells->hueText();
  figure.caption += hue.empty() ? "." : "; " + hue + ".";
  return figure;
}

}  // namespace tessera
