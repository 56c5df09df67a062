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

#include "core/atlas/graphene_names.h"
#include "core/base/words.h"
#include "core/notation/axe/notation.h"
#include "core/notation/convert.h"
#include "core/notation/cute/notation.h"
#include "core/notation/graphene/notation.h"
#include "core/notation/graphene/tensor.h"
#include "core/notation/linear/notation.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/links.h"
#include "render/draw/placed/placed.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

using PlacedPtr = std::shared_ptr<const Placed>;

// The values that the replicas take on an axis, ascending.
std::vector<i64> valuesOn(const std::vector<axe::Place>& places, const std::string& axis) {
  std::set<i64> values;
  for (const axe::Place& place : places) values.insert(valueOn(place, axis));
  return {values.begin(), values.end()};
}

class PlacedCells : public CellSource {
 public:
  explicit PlacedCells(PlacedPtr placed) : p_(std::move(placed)) {
    const std::string lane = laneAxis(*p_), warp = warpAxis(*p_), device = deviceAxis(*p_);
    owners_ = {device, warp, lane};
    std::erase_if(owners_, [](const std::string& axis) { return axis.empty() || axis == axe::kMemoryAxis; });
    rest_ = p_->axes();
    std::erase_if(rest_, [&](const auto& axis) { return std::ranges::count(owners_, axis) > 0; });
    varying_ = owners_;
    std::erase_if(varying_, [&](const std::string& axis) { return p_->extentOf(axis) <= 1; });
  }

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const i64 linear = row * p_->columns() + col;
    const std::vector<axe::Place> places = p_->places(linear);
    Cell cell{labelOf(places, owners_), labelOf(places, rest_), paintOf(places.front()), p_->pointOf(linear)};
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
      for (const std::string& axis : *axes) out.push_back(fmt::format("{}", fmt::join(valuesOn(places, axis), " ")));
    return out;
  }

  [[nodiscard]] const std::vector<std::string>& owners() const { return owners_; }
  [[nodiscard]] const std::vector<std::string>& varying() const { return varying_; }
  [[nodiscard]] std::string hueText() const {
    if (varying_.empty()) return "";
    if (varying_.size() == 1 && varying_[0] == laneAxis(*p_))
      return p_->extentOf(varying_[0]) > 64 ? "one hue is 32 threads" : "one hue is four neighbouring lanes";
    return "one hue is one " + varying_[0];
  }

 private:
  // "W6,10 T8": the values that the replicas take on each axis.
  [[nodiscard]] std::string labelOf(const std::vector<axe::Place>& places, const std::vector<std::string>& axes) const {
    std::string out;
    for (const std::string& axis : axes) {
      const std::vector<i64> values = valuesOn(places, axis);
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
    if (varying_.empty()) {
      const i64 v = rest_.empty() ? 0 : valueOn(place, rest_.front());
      return groupPaint(v / 4, v);
    }
    const i64 first = valueOn(place, varying_[0]);
    if (varying_.size() == 1) {
      if (varying_[0] != laneAxis(*p_)) return groupPaint(first, 1);
      return threadPaint(first, p_->extentOf(varying_[0]));
    }
    const i64 second = valueOn(place, varying_[1]);
    const i64 quarter = std::max<i64>(1, p_->extentOf(varying_[1]) / 4);
    return groupPaint(first, second / quarter);
  }

  PlacedPtr p_;
  std::vector<std::string> owners_, rest_, varying_;
};

// "16x8" among the words after the view.
std::optional<std::vector<i64>> shapeIn(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t x = word.find('x');
    if (x == std::string::npos) continue;
    const auto rows = wholeNumber(word.substr(0, x)), columns = wholeNumber(word.substr(x + 1));
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

// The layout as (thread, value), if it has that form.
std::optional<cute::Layout> threadValueIn(const Layout& layout) {
  if (!layout.threadValueArrow()) return std::nullopt;
  const Result<cute::Layout> plain = plainCuteOf(layout);
  return plain ? std::optional(*plain) : std::nullopt;
}

// One digit of an element's row-major index, and its target.
struct Run {
  i64 extent, stride;  // in the tile as written
  axe::Iter iter;
};

// Of `extent` threads from `place` on, those before the next digit of threadId: lanes 0 to 3 of a quad pair's 0 to 7.
i64 withinDigit(const cute::Layout& threadId, i64 place, i64 extent) {
  i64 digit = 1;
  for (const cute::LayoutLeaf& leaf : flatLeaves(threadId)) {
    digit *= leaf.extent;
    if (digit > place && digit < place * extent && digit % place == 0) return digit / place;
  }
  return extent;
}

void addRuns(std::vector<Run>& runs, const cute::Layout& mode, const graphene::Fragment& f, bool lanes) {
  i64 place = 1;
  for (const cute::LayoutLeaf& leaf : flatLeaves(mode)) {
    i64 step = leaf.stride.value();
    for (i64 left = leaf.extent; left > 1;) {
      const i64 count = lanes ? withinDigit(f.threadId, place, left) : left;
      const i64 row = step % f.rows, column = step / f.rows;
      const i64 stride = f.transposed ? column * f.rows + row : row * f.columns + column;
      runs.push_back({count, stride, {count, lanes ? f.threadId(place) : place, lanes ? "lane" : "reg"}});
      place *= count;
      step *= count;
      left /= count;
    }
  }
}

// An operand of an instruction in Axe; returns a Diag if its digits are not a mixed radix of the tile.
Result<axe::Layout> axeOf(const graphene::Distribution& distribution) {
  const std::size_t blank = distribution.layout.find(' ');
  if (blank == std::string::npos) return Diag{"this distribution has no picture"};
  TESSERA_TRY(const graphene::Fragment fragment,
              graphene::atlasFragment(distribution.layout.substr(0, blank), distribution.layout.substr(blank + 1)));
  std::vector<Run> runs;
  addRuns(runs, fragment.threadValue.mode(0), fragment, true);
  addRuns(runs, fragment.threadValue.mode(1), fragment, false);
  std::ranges::sort(runs, [](const Run& a, const Run& b) { return a.stride > b.stride; });
  i64 span = fragment.rows * fragment.columns;
  std::vector<axe::Iter> shard;
  for (const Run& run : runs) {
    if (run.extent * run.stride != span) return Diag{"this distribution has no picture"};
    span = run.stride;
    shard.push_back(run.iter);
  }
  return axe::Layout::create(std::move(shard), {}, {}, distribution.extents);
}

}  // namespace

Result<Layout> heldTileOf(const Layout& given, const DrawOptions& options) {
  const std::optional<cute::Layout> layout = threadValueIn(given);
  if (!layout) return given;
  TESSERA_TRY(linear::Layout linear, heldTile(*layout, options));
  return Layout(std::move(linear));
}

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
  const auto [first, second] = longestLabels(*cells, placed->rows(), placed->columns(), 32);
  Grid grid = makeGrid("threads", placed->rows(), placed->columns(), cells, pitchFor(std::max(first, second)),
                       second > 0 ? 32 : 26, first);
  grid.secondChars = second;
  grid.lettered = cells->varying().size() <= 1;
  Figure figure = figureOf(std::move(grid));
  figure.links.push_back({placedLink(placed)});
  if (layout) {  // the layout's own points, (thread, value), are elements of this tile
    const i64 size = placed->size();
    if (const auto subject = subjectOf(given)) {
      auto held = valueLink(*subject, (*subject)->domain, pointDomain(placed->shape()), size);
      if (held) figure.links.push_back({*std::move(held)});
      figure.links.push_back({firstModeLink(**subject)});
    }
  }
  setTitle(figure, options, "threads", "Threads", layout ? print(given) : placed->text());
  figure.caption = fmt::format("{}{} elements", read, placed->size());
  for (const std::string& axis : placed->axes()) {
    const i64 extent = placed->extentOf(axis);
    if (extent > 1) figure.caption += fmt::format(", {} {} values", axis, extent);
  }
  if (placed->replicas() > 1) figure.caption += fmt::format("; every element is stored {} times", placed->replicas());
  const std::string hue = cells->hueText();
  figure.caption += hue.empty() ? "." : "; " + hue + ".";
  return figure;
}

// holds: the owners of a register tensor's elements: the tile of its distribution, each element with its thread and
// register.
//
//     %d:[2,4].fp16.RF holds [16,16] as S[..]     the view `threads` of that layout over (16,16)
//
// A register of the picture is an address of the tensor.

Result<Figure> drawHolds(const Layout& layout, const DrawOptions& options) {
  const graphene::Tensor& tensor = *layout.as<graphene::Tensor>();
  const graphene::Distribution& distribution = *tensor.holds.is;
  DrawOptions sized = options;
  std::optional<Layout> held;
  if (const auto axe = axe::parse(distribution.layout)) {
    TESSERA_TRY(axe::Layout over, axe->over(distribution.extents));
    held = Layout(std::move(over));
  } else if (auto threadValue = cute::parseLayout(distribution.layout)) {
    held = Layout(*std::move(threadValue));
    if (distribution.extents.size() == 2) sized.arguments = {fmt::format("{}", fmt::join(distribution.extents, "x"))};
  } else {
    TESSERA_TRY(axe::Layout operand, axeOf(distribution));
    held = Layout(std::move(operand));
  }
  TESSERA_TRY(Figure figure, drawThreads(*held, sized));
  setTitle(figure, options, "holds", "What registers hold", print(tensor));
  return figure;
}

bool holdsTile(const Layout& layout) {
  const auto* tensor = layout.as<graphene::Tensor>();
  return tensor != nullptr && tensor->holds;
}

}  // namespace tessera
