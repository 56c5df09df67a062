#include "core/notation/axe/notation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"
#include "core/notation/axe/eval.h"

namespace tessera::axe {

Result<Swizzle> Swizzle::create(i64 perElement, i64 swizzleLen, i64 atomLen, bool inner) {
  if (perElement < 0 || swizzleLen < 0 || atomLen < 0)
    return Diag{fmt::format("swizzle ({}, {}, {}) has a negative number of bits", perElement, swizzleLen, atomLen)};
  if (atomLen < swizzleLen)
    return Diag{fmt::format("atom_len {} is less than swizzle_len {}: the bits would overlap", atomLen, swizzleLen),
                "atom_len >= swizzle_len"};
  if (perElement > 60 || atomLen > 60 || perElement + swizzleLen + atomLen > 60)
    return Diag{fmt::format("swizzle ({}, {}, {}) is wider than 60 bits", perElement, swizzleLen, atomLen)};
  return Swizzle{perElement, swizzleLen, atomLen, inner};
}

i64 Swizzle::apply(i64 address) const {
  const i64 low = address & ((i64{1} << perElement) - 1);
  const i64 x = address >> perElement;
  const i64 mask = (i64{1} << swizzleLen) - 1;
  const i64 y = inner ? x ^ ((x >> atomLen) & mask) : x ^ ((x & mask) << atomLen);
  return (y << perElement) + low;
}

i64 Swizzle::period() const { return i64{1} << (perElement + swizzleLen + atomLen); }

Expr Swizzle::apply(const Expr& address) const {
  if (swizzleLen == 0) return address;
  const i64 element = i64{1} << perElement, atom = i64{1} << atomLen, count = i64{1} << swizzleLen;
  // The moved bits at their targets. Nothing changes below 2^M, so the xor can apply to the address itself.
  if (inner) return address ^ (mod(floorDiv(address, element * atom), count) * element);
  return address ^ (mod(floorDiv(address, element), count) * (atom * element));
}

std::string print(const Swizzle& s) {
  return fmt::format("Swizzle({}, {}, {}{})", s.perElement, s.swizzleLen, s.atomLen, s.inner ? "" : ", outer");
}

Result<Composed> Composed::create(Swizzle swizzle, Layout tile) {
  TESSERA_TRY(const Swizzle checked,
              Swizzle::create(swizzle.perElement, swizzle.swizzleLen, swizzle.atomLen, swizzle.inner));
  for (const std::string& axis : tile.axes())
    if (axis != kMemoryAxis)
      return Diag{fmt::format("a swizzle permutes memory: the tile {} also uses axis {}", print(tile), axis)};
  const i64 least = rangeOn(tile, kMemoryAxis).first;
  if (least < 0) return Diag{fmt::format("the tile {} reaches the negative address {}", print(tile), least)};
  return Composed{checked, std::move(tile)};
}

Result<i64> addressOf(const Composed& layout, const std::vector<i64>& shape, const std::vector<i64>& coordinate) {
  TESSERA_TRY(const auto places, forward(layout.tile, shape, coordinate));
  if (places.size() != 1) return Diag{fmt::format("{} addresses: the tile has replicas", places.size())};
  const auto m = places[0].find(kMemoryAxis);
  return layout.swizzle.apply(m == places[0].end() ? 0 : m->second);
}

Result<Map> toMap(const Composed& layout, const std::vector<i64>& shape) {
  TESSERA_TRY(const Map base, toMap(layout.tile, shape));
  std::vector<Axis> axes = base.axes();
  for (Axis& axis : axes) {
    axis.value = layout.swizzle.apply(axis.value);
    // A swizzle permutes whole periods, so it reaches at most the end of the last one.
    if (axis.extent) axis.extent = roundUp(*axis.extent, layout.swizzle.period());
  }
  return Map::create(base.digits(), std::move(axes), base.guards(), base.params());
}

std::string print(const Composed& layout) { return print(layout.swizzle) + " o " + print(layout.tile); }

}  // namespace tessera::axe

namespace tessera {

std::vector<i64> axe::naturalShape(const axe::Layout& layout) {
  if (!layout.shape().empty()) return layout.shape();
  return mapped<i64>(layout.shard(), &axe::Iter::extent);
}

namespace {

// The axes on which some place is not 0, or all axes if there are none. An iter of extent 1 or stride 0 names an axis
// without moving along it: S[(8,1):(1@reg,1@lane)] is S[8:1@reg] and uses no lanes.
std::vector<std::string> movedAxes(const axe::Layout& layout) {
  std::vector<std::string> moved, all = layout.axes();
  const auto moves = [](const axe::Iter& it) { return it.extent > 1 && it.stride != 0; };
  for (const std::string& axis : all) {
    const auto here = [&](const axe::Iter& it) { return it.axis == axis && moves(it); };
    if (layout.offsetOn(axis) != 0 || std::ranges::any_of(layout.shard(), here) ||
        std::ranges::any_of(layout.replica(), here))
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
      if (std::ranges::find(axes, a.name) != axes.end()) moved.push_back(a);
    TESSERA_TRY(map, Map::create(map.digits(), std::move(moved), map.guards(), map.params()));
  }
  const auto all = [&](auto holds) { return std::ranges::all_of(axes, holds); };
  const SpaceKind to = all([](const std::string& a) { return a == axe::kMemoryAxis; }) ? SpaceKind::Memory
                       : all([](const std::string& a) { return axe::axisKind(a) == axe::AxisKind::Device; })
                           ? SpaceKind::Devices
                           : SpaceKind::Hardware;
  Arrow arrow = arrowOf(std::move(map), SpaceKind::Elements, LinearOrder::Lex, to);
  arrow.from.shaped = !layout.shape().empty();
  // The hardware bounds each axis: there are 32 lanes, even if this layout uses fewer.
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
