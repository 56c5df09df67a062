#include "core/notation/axe/notation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/notation/axe/axes.h"
#include "core/notation/axe/eval.h"

namespace tessera {

std::vector<i64> axe::naturalShape(const axe::Layout& layout) {
  if (!layout.shape().empty()) return layout.shape();
  std::vector<i64> shape;
  for (const axe::Iter& it : layout.shard()) shape.push_back(it.extent);
  return shape;
}

namespace {

// The axes on which places differ from 0. An iter of one element or stride 0 names an axis without moving on it:
// S[(8,1):(1@reg,1@lane)] is S[8:1@reg] and uses no lanes. All axes if none moves.
std::vector<std::string> movedAxes(const axe::Layout& layout) {
  std::vector<std::string> moved, all = layout.axes();
  const auto moves = [](const axe::Iter& it) { return it.extent > 1 && it.stride != 0; };
  for (const std::string& axis : all) {
    const auto here = [&](const axe::Iter& it) { return it.axis == axis && moves(it); };
    if (layout.offsetOn(axis) != 0 || std::any_of(layout.shard().begin(), layout.shard().end(), here) ||
        std::any_of(layout.replica().begin(), layout.replica().end(), here))
      moved.push_back(axis);
  }
  return moved.empty() ? all : moved;
}

}  // namespace

Result<Arrow> NotationOf<axe::Layout>::arrow(const axe::Layout& layout) {
  TESSERA_TRY(Map map, toMap(layout.withoutShape(), axe::naturalShape(layout)));
  const std::vector<std::string> axes = movedAxes(layout);
  if (axes.size() < map.axes().size()) {
    std::vector<Axis> moved;
    for (const Axis& a : map.axes())
      if (std::find(axes.begin(), axes.end(), a.name) != axes.end()) moved.push_back(a);
    TESSERA_TRY(map, Map::create(map.digits(), std::move(moved), map.guards(), map.params()));
  }
  const auto all = [&](auto holds) { return std::all_of(axes.begin(), axes.end(), holds); };
  const SpaceKind to = all([](const std::string& a) { return a == axe::kMemoryAxis; }) ? SpaceKind::Memory
                       : all([](const std::string& a) { return axe::axisKind(a) == axe::AxisKind::Device; })
                           ? SpaceKind::Devices
                           : SpaceKind::Hardware;
  Arrow arrow = arrowOf(std::move(map), SpaceKind::Elements, LinearOrder::Lex, to);
  arrow.from.shaped = !layout.shape().empty();
  // The hardware's bound of each axis: there are 32 lanes, even if this layout uses fewer.
  if (to == SpaceKind::Hardware) {
    for (const Axis& axis : arrow.map.axes()) {
      const axe::AxisInfo* info = axe::findAxis(axis.name);
      arrow.to.modes.push_back({axis.name, {info != nullptr ? info->bound.value_or(0) : 0}, 0});
    }
  }
  return arrow;
}

Result<Arrow> NotationOf<axe::Composed>::arrow(const axe::Composed& layout) {
  TESSERA_TRY(Map map, toMap(layout, axe::naturalShape(layout.tile)));
  return arrowOf(std::move(map), SpaceKind::Elements, LinearOrder::Lex, SpaceKind::Memory);
}

Result<Arrow> NotationOf<axe::Mesh>::arrow(const axe::Mesh& mesh) {
  std::vector<Digit> digits;
  Expr device;
  for (std::size_t k = 0; k < mesh.shape.size(); ++k) {
    digits.push_back({fmt::format("d{}", k), mesh.shape[k], DigitKind::Index});
    device = device + Expr::digit(static_cast<int>(k)) * mesh.strides[k];
  }
  TESSERA_TRY(Map map, Map::create(std::move(digits), {{"device", device, {}}}));
  return arrowOf(std::move(map), SpaceKind::Elements, LinearOrder::Lex, SpaceKind::Devices);
}

}  // namespace tessera
