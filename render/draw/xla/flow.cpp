// address: the position of one element of an XLA array, step by step: its index, the dimensions major to minor, the
// digits of each tile, digits times strides, the slot, the byte.
//
//     f32[3,5]{1,0:T(2,2)}, (2,3):   2 3  ->  T(2,2)  1 1 | 0 1  ->  1x12 + 1x4 + 0x2 + 1x1  ->  slot 17  ->  byte 68
//
// Numbers after the view select the element: "address 2 3". Law: the last box is xla::Addressing::linear.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/words.h"
#include "core/notation/xla/address.h"
#include "render/draw/flow/flow_boxes.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/xla/array.h"

namespace tessera {

using namespace xla_draw;

namespace {

constexpr std::size_t kMaxDigits = 24;

// The element to show: the hovered one, the one given in words, or one with nontrivial digits.
Result<std::vector<i64>> elementOf(const Array& a, const DrawOptions& options) {
  std::vector<i64> given;
  for (const std::string& word : options.arguments) {
    const auto n = wholeNumber(word);
    if (!n) return Diag{fmt::format("this view knows no \"{}\"", word), "an index such as 2 3"};
    given.push_back(*n);
  }
  if (options.hover && a.owns(*options.hover)) return a.indexOf(*options.hover);
  if (!given.empty()) {
    const Result<i64> slot = a.addressing.locate(given);
    if (!slot) return slot.error();
    return given;
  }
  std::vector<i64> telling;
  for (const i64 n : a.sizes) telling.push_back(n - 1 - n / 5);
  return telling;
}

FlowColumn columnOf(std::string title, std::size_t boxes, double middle) {
  FlowColumn column{std::move(title)};
  for (const double y : flowRows(boxes, middle)) column.boxes.push_back({"", "", y, Role::Panel});
  return column;
}

// One tile: dimensions joined by * form one number, then quotients and remainders.
void addTile(Flow& flow, const xla::Step& step, std::vector<i64>& idx, const std::string& title, double middle) {
  const std::size_t runs = step.merged.size(), tiled = step.tile.size(), prefix = runs - tiled;
  FlowColumn column = columnOf(title, runs + tiled, middle);
  FlowWires wires(idx.size());
  std::vector<i64> out(runs + tiled);
  for (std::size_t g = 0; g < runs; ++g) {
    i64 e = 0;
    std::string how;
    for (std::size_t k = step.groupBegin[g]; k < step.groupBegin[g + 1]; ++k) {
      const i64 part = k < step.prepended ? 0 : idx[k - step.prepended];
      how =
          k == step.groupBegin[g] ? fmt::format("{}", part) : fmt::format("({} * {} + {})", how, step.before[k], part);
      e = e * step.before[k] + part;
      if (k < step.prepended) continue;
      wires[k - step.prepended].push_back(g);
      if (g >= prefix) wires[k - step.prepended].push_back(g + tiled);
    }
    out[g] = e;
    column.boxes[g].below = how == fmt::format("{}", e) ? "" : how;
    if (g < prefix) continue;
    const i64 t = step.tile[g - prefix];
    out[g] = e / t;
    out[g + tiled] = e % t;
    column.boxes[g].below = fmt::format("{} / {}", how, t);
    column.boxes[g + tiled].below = fmt::format("{} % {}", how, t);
  }
  for (std::size_t k = 0; k < out.size(); ++k) column.boxes[k].text = fmt::format("{}", out[k]);
  addFlowColumn(flow, std::move(column), std::move(wires));
  idx = std::move(out);
}

std::string tileText(const std::vector<i64>& tile) {
  std::string text = "T(";
  for (std::size_t k = 0; k < tile.size(); ++k)
    text += (k == 0 ? "" : ",") + (tile[k] == xla::kCombine ? "*" : fmt::format("{}", tile[k]));
  return text + ")";
}

// The index, and its major-to-minor order if different.
Flow indexPart(const Array& a, const std::vector<i64>& index, std::vector<i64>& physical, double middle) {
  const std::vector<std::string> names = xla::dimensionNames(index.size());
  const std::vector<std::size_t>& order = a.addressing.expansion().order;
  Flow flow;
  FlowColumn given = columnOf("index", index.size(), middle);
  for (std::size_t d = 0; d < index.size(); ++d) {
    given.boxes[d].text = fmt::format("{} {}", names[d], index[d]);
    given.boxes[d].below = fmt::format("of {}", a.sizes[d]);
  }
  flow.columns.push_back(std::move(given));
  for (const std::size_t d : order) physical.push_back(index[d]);
  if (std::ranges::is_sorted(order)) return flow;
  FlowColumn column = columnOf("major to minor", order.size(), middle);
  FlowWires wires(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    column.boxes[k].text = fmt::format("{} {}", names[order[k]], physical[k]);
    wires[order[k]].push_back(k);
  }
  addFlowColumn(flow, std::move(column), std::move(wires));
  return flow;
}

void addSlot(Flow& flow, const Array& a, const std::vector<i64>& idx, double middle) {
  const std::vector<i64>& dims = a.addressing.expansion().dims;
  FlowColumn products = columnOf("digit \u00d7 stride", idx.size(), middle);
  i64 stride = 1, slot = 0;
  for (std::size_t k = idx.size(); k-- > 0;) {
    products.boxes[k].text = fmt::format("{}", idx[k] * stride);
    products.boxes[k].below = fmt::format("{} * {}", idx[k], stride);
    slot += idx[k] * stride;
    stride *= std::max<i64>(dims[k], 1);
  }
  if (!idx.empty()) addFlowColumn(flow, std::move(products), true);
  FlowColumn sum{"slot", {{fmt::format("{}", slot), fmt::format("of {}", a.addressing.slots()), middle, Role::Lit}}};
  if (flow.columns.back().boxes.empty()) {
    flow.columns = {std::move(sum)};
  } else {
    addFlowColumn(flow, std::move(sum));
  }
  const i64 bits = a.addressing.shape().storedBits();
  const i64 size = bits % 8 == 0 ? bits / 8 : bits;
  addFlowColumn(flow, {bits % 8 == 0 ? "byte" : "bit",
                       {{fmt::format("{}", slot * size), fmt::format("{} * {}", slot, size), middle, Role::Panel}}});
}

}  // namespace

Result<Figure> xla_draw::addressFigure(const xla::Shape& shape, const DrawOptions& options) {
  TESSERA_TRY(const ArrayPtr a, arrayOf(shape, {}, nullptr));
  TESSERA_TRY(const std::vector<i64> index, elementOf(*a, options));
  const xla::Expansion& expansion = a->addressing.expansion();
  if (expansion.dims.size() > kMaxDigits)
    return Diag{fmt::format("{} digits are too many for a flow", expansion.dims.size()), "at most 24", "as tensor"};
  std::size_t tallest = std::max<std::size_t>(index.size(), 1);
  for (const xla::Step& step : expansion.steps) tallest = std::max(tallest, step.merged.size() + step.tile.size());
  const double middle = 38 + kFlowRow * (static_cast<double>(tallest) - 1) / 2;
  std::vector<i64> idx;
  Flow flow = indexPart(*a, index, idx, middle);
  for (std::size_t k = 0; k < expansion.steps.size(); ++k)
    addTile(flow, expansion.steps[k], idx, tileText(shape.layout().tiles[k]), middle);
  addSlot(flow, *a, idx, middle);
  Figure figure;
  addFlow(figure, std::move(flow), a->pointOf(index));
  fitSize(figure);
  setTitle(figure, options, "address", "Address", print(shape));
  const i64 slot = a->addressing.linear(index), bits = shape.storedBits();
  figure.caption = fmt::format("Element ({}) is in slot {} of {}, at {} {}.", bare(index), slot, a->addressing.slots(),
                               bits % 8 == 0 ? "byte" : "bit", slot * (bits % 8 == 0 ? bits / 8 : bits));
  return figure;
}

}  // namespace tessera
