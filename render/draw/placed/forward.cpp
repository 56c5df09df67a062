// forward: from an element's coordinate to its places, every step with its numbers; backward: from a place to the
// element there.
//
//     (2,9) of (8,16) -> linear 41 -> digits 2 1 0 1 -> 2*4@lane 1*1@warp 0*1@lane 1*1@reg -> shard lane 8 warp 1 reg 1
//     -> + 5@warp + {0, 4}@warp -> {lane 8, reg 1, warp 6}, {lane 8, reg 1, warp 10}
#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/notation/axe/eval.h"
#include "render/draw/flow/flow_boxes.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/placed/placed.h"
#include "render/draw/views.h"

namespace tessera {
namespace {

constexpr std::size_t kMaxIters = 20, kMaxPlaces = 8;

struct Asked {
  std::shared_ptr<const Placed> placed;
  axe::Layout layout;
  i64 linear = 0;
  std::vector<i64> coord;
  axe::Steps steps;
};

// An informative element: the middle of each digit.
i64 tellingElement(const axe::Layout& layout) {
  i64 linear = 0;
  for (const axe::Iter& it : layout.shard())
    linear = linear * it.extent + (it.extent / 2 + (it.extent > 4 ? 1 : 0)) % it.extent;
  return linear;
}

Result<Asked> asked(const Layout& layout, const DrawOptions& options) {
  Asked a;
  TESSERA_TRY(a.placed, Placed::of(layout));
  if (!a.placed->axe())
    return Diag{"this layout xors bits, so its steps are not sums of digits", "a layout with an Axe form",
                "as threads"};
  a.layout = *a.placed->axe();
  if (a.layout.shard().size() > kMaxIters)
    return Diag{fmt::format("{} iters are too many for a flow", a.layout.shard().size()), "at most 20", "as threads"};
  a.linear = tellingElement(a.layout);
  std::vector<i64> given;  // show X as forward 2 9
  for (const std::string& word : options.arguments) {
    for (std::size_t i = 0, end = 0; i < word.size(); i = std::max(end, i + 1)) {
      for (end = i; end < word.size() && isDigit(word[end]);) ++end;
      if (end > i) given.push_back(end - i > 18 ? -1 : std::stoll(word.substr(i, end - i)));
    }
  }
  const std::vector<i64>& shape = a.placed->shape();
  if (!given.empty()) {
    bool inside = given.size() == shape.size();
    for (std::size_t k = 0; inside && k < given.size(); ++k) inside = given[k] >= 0 && given[k] < shape[k];
    if (!inside) {
      return Diag{fmt::format("{} is not a coordinate of {}", axe::printShape(given), axe::printShape(shape)),
                  "a coordinate inside the shape", "as forward 0 0"};
    }
    a.linear = linearize(given, shape, LinearOrder::Lex);
  }
  if (options.hover)
    if (const auto hovered = a.placed->linearOf(*options.hover)) a.linear = *hovered;
  a.coord = a.placed->coordOf(a.linear);
  TESSERA_TRY(a.steps, forwardSteps(a.layout, shape, a.coord));
  return a;
}

// A box per axis; `shift`: what was added to it.
FlowColumn placeColumn(std::string title, const axe::Place& place, double middle, Role fill,
                       const axe::Place& shift = {}) {
  FlowColumn column{std::move(title)};
  const std::vector<double> y = flowRows(place.size(), middle);
  for (const auto& [axis, value] : place) {
    const i64 added = valueOn(shift, axis);
    column.boxes.push_back({fmt::format("{} {}", axis, value),
                            added == 0 ? "" : fmt::format("{} + {}", value - added, added), y[column.boxes.size()],
                            fill});
  }
  return column;
}

// coordinate, linear index, digits, products.
Flow readingPart(const Asked& a, double middle, const std::vector<double>& digitY) {
  const std::vector<i64>& shape = a.placed->shape();
  const std::vector<axe::Iter>& iters = a.layout.shard();
  Flow flow;
  FlowColumn coords{"coordinate"};
  const std::vector<double> y = flowRows(shape.size(), middle);
  std::string how;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    coords.boxes.push_back({fmt::format("{}", a.coord[k]), fmt::format("of {}", shape[k]), y[k], Role::Panel});
    i64 below = 1;
    for (std::size_t j = k + 1; j < shape.size(); ++j) below *= shape[j];
    how += (k == 0 ? "" : " + ") +
           (below == 1 ? fmt::format("{}", a.coord[k]) : fmt::format("{} * {}", a.coord[k], below));
  }
  flow.columns.push_back(std::move(coords));
  addFlowColumn(flow,
                {"linear index", {{fmt::format("{}", a.linear), shape.size() > 1 ? how : "", middle, Role::Panel}}});
  FlowColumn digits{"digits"}, products{"digit \u00d7 stride @ axis"};
  i64 below = 1;
  for (std::size_t k = iters.size(); k-- > 0;) {
    const i64 d = a.steps.digits[k];
    std::string cut = below == 1 ? fmt::format("{}", a.linear) : fmt::format("{} / {}", a.linear, below);
    if (k > 0) cut += fmt::format(" % {}", iters[k].extent);
    digits.boxes.insert(digits.boxes.begin(), FlowBox{fmt::format("{}", d), cut, digitY[k], Role::Panel});
    products.boxes.insert(products.boxes.begin(),
                          FlowBox{fmt::format("{} @ {}", d * iters[k].stride, iters[k].axis),
                                  fmt::format("{} * {}", d, iters[k].stride), digitY[k], Role::Panel});
    below *= iters[k].extent;
  }
  addFlowColumn(flow, std::move(digits));
  addFlowColumn(flow, std::move(products), true);
  return flow;
}

// The box of an axis in the column of a place.
std::size_t boxOf(const axe::Place& place, const std::string& axis) {
  return static_cast<std::size_t>(std::distance(place.begin(), place.find(axis)));
}

// Connects each product to its axis.
void addShard(Flow& flow, const Asked& a, FlowColumn shard) {
  FlowWires wires(flow.columns.back().boxes.size());
  for (std::size_t k = 0; k < wires.size(); ++k) wires[k].push_back(boxOf(a.steps.shard, a.layout.shard()[k].axis));
  addFlowColumn(flow, std::move(shard), std::move(wires));
}

Figure finished(Flow flow, const Asked& a, const DrawOptions& options, const std::string& view,
                const std::string& otherwise) {
  Figure figure;
  addFlow(figure, std::move(flow), a.placed->pointOf(a.linear));
  fitSize(figure);
  setTitle(figure, options, view, otherwise, a.placed->text());
  return figure;
}

// Adds the axes of the layout that the shard coordinate omits, with value 0.
axe::Place completed(axe::Place place, const axe::Layout& layout) {
  for (const axe::Iter& it : layout.shard()) place.try_emplace(it.axis, 0);
  return place;
}

FlowColumn placesColumn(const std::vector<axe::Place>& places, const Asked& a, double middle, Role fill) {
  FlowColumn column{places.size() == 1 ? "place" : fmt::format("{} places", places.size())};
  const std::size_t shown = std::min(places.size(), kMaxPlaces);
  const std::vector<double> y = flowRows(shown, middle);
  for (std::size_t k = 0; k < shown; ++k) {
    std::string how;
    if (k < a.steps.replicas.size() && !a.layout.replica().empty())
      how = "replica + " + axe::print(a.steps.replicas[k]);
    if (k + 1 == shown && places.size() > shown) how = fmt::format("and {} more", places.size() - shown);
    column.boxes.push_back({axe::print(places[k]), how, y[k], fill});
  }
  return column;
}

}  // namespace

Result<Figure> drawForward(const Layout& layout, const DrawOptions& options) {
  TESSERA_TRY(Asked a, asked(layout, options));
  a.steps.shard = completed(a.steps.shard, a.layout);
  const std::size_t tallest = std::max({a.layout.shard().size(), std::min(a.steps.places.size(), kMaxPlaces),
                                        a.placed->shape().size(), a.steps.shard.size()});
  const double middle = 38 + kFlowRow * (static_cast<double>(tallest) - 1) / 2;
  Flow flow = readingPart(a, middle, flowRows(a.layout.shard().size(), middle));
  const bool plain = a.layout.offset().empty() && a.layout.replica().empty();
  addShard(flow, a,
           placeColumn(plain ? "place" : "shard coordinate", a.steps.shard, middle, plain ? Role::Lit : Role::Panel));
  if (!a.layout.offset().empty()) {
    const axe::Place shifted = plus(a.steps.shard, a.layout.offset());
    FlowColumn column = placeColumn("+ offset", shifted, middle, a.layout.replica().empty() ? Role::Lit : Role::Panel,
                                    a.layout.offset());
    FlowWires wires(flow.columns.back().boxes.size());
    std::size_t from = 0;
    for (const auto& [axis, v] : a.steps.shard) wires[from++].push_back(boxOf(shifted, axis));
    addFlowColumn(flow, std::move(column), std::move(wires));
  }
  if (!a.layout.replica().empty()) addFlowColumn(flow, placesColumn(a.steps.places, a, middle, Role::Lit));
  Figure figure = finished(std::move(flow), a, options, "forward", "Forward");
  figure.caption = fmt::format(
      "Element {} of {} is at {}{}.", axe::printShape(a.coord), axe::printShape(a.placed->shape()),
      axe::print(a.steps.places.front()),
      a.steps.places.size() > 1
          ? fmt::format(" and {} more place{}", a.steps.places.size() - 1, a.steps.places.size() > 2 ? "s" : "")
          : "");
  return figure;
}

Result<Figure> drawBackward(const Layout& layout, const DrawOptions& options) {
  TESSERA_TRY(Asked a, asked(layout, options));
  a.steps.shard = completed(a.steps.shard, a.layout);
  const axe::Place place = a.steps.places.back();
  const std::vector<axe::Iter>& iters = a.layout.shard();
  TESSERA_TRY(const auto found, backward(a.layout, a.placed->shape(), place));
  const std::size_t tallest = std::max({iters.size(), place.size(), a.placed->shape().size()});
  const double middle = 38 + kFlowRow * (static_cast<double>(tallest) - 1) / 2;
  Flow flow;
  flow.columns.push_back(placeColumn("place", place, middle, Role::Panel));
  axe::Place removed;  // the contribution of offset and replica
  for (const auto& [axis, v] : place)
    if (const i64 difference = v - valueOn(a.steps.shard, axis); difference != 0) removed[axis] = difference;
  if (!removed.empty()) {
    FlowColumn rest{"\u2212 offset \u2212 replica"};
    const std::vector<double> y = flowRows(place.size(), middle);
    for (const auto& [axis, v] : place) {
      const i64 less = valueOn(removed, axis);
      rest.boxes.push_back({fmt::format("{} {}", axis, v - less), less == 0 ? "" : fmt::format("{} \u2212 {}", v, less),
                            y[rest.boxes.size()], Role::Panel});
    }
    addFlowColumn(flow, std::move(rest), true);
  }
  const std::vector<double> digitY = flowRows(iters.size(), middle);
  FlowColumn digits{"digits"};
  FlowWires wires(flow.columns.back().boxes.size());
  for (std::size_t k = 0; k < iters.size(); ++k) {
    digits.boxes.push_back({fmt::format("{}", a.steps.digits[k]),
                            fmt::format("\u00d7 {} @ {}", iters[k].stride, iters[k].axis), digitY[k], Role::Panel});
    if (place.contains(iters[k].axis)) wires[boxOf(place, iters[k].axis)].push_back(k);
  }
  addFlowColumn(flow, std::move(digits), std::move(wires));
  addFlowColumn(flow, {"linear index", {{fmt::format("{}", a.linear), "", middle, Role::Panel}}});
  addFlowColumn(flow, {"coordinate",
                       {{axe::printShape(a.coord), "of " + axe::printShape(a.placed->shape()), middle, Role::Lit}}});
  Figure figure = finished(std::move(flow), a, options, "backward", "Backward");
  figure.caption = fmt::format("{} element{} at {}: {}.", found.size(), found.size() == 1 ? "" : "s", axe::print(place),
                               axe::printShape(found.front()));
  if (found.size() > 1) figure.caption.insert(figure.caption.size() - 1, fmt::format(" and {} more", found.size() - 1));
  return figure;
}

}  // namespace tessera
