#include "core/notation/xla/notation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/notation/xla/address.h"

namespace tessera {

Result<Arrow> NotationOf<xla::Shape>::arrow(const xla::Shape& shape) {
  TESSERA_TRY(Map map, toMap(shape));
  Arrow arrow = arrowOf(std::move(map), SpaceKind::Elements, LinearOrder::Lex, SpaceKind::Memory);
  arrow.to.modes = {{"m", {arrow.map.axes()[0].extent.value_or(0)}, 0}};  // the slots, including padding
  arrow.to.elementBits = static_cast<int>(shape.storedBits());
  return arrow;
}

Result<Arrow> NotationOf<xla::Instruction>::arrow(const xla::Instruction& line) {
  return NotationOf<xla::Shape>::arrow(line.shape);
}

const xla::Shape* xla::shapeIn(const tessera::Layout& layout) {
  if (const auto* line = layout.as<xla::Instruction>()) return &line->shape;
  return layout.as<xla::Shape>();
}

}  // namespace tessera

namespace tessera::xla {
namespace {

// Why the digits are not modes, if they are not.
Result<void> requireModes(const std::vector<Digit>& digits, const Shape& shape) {
  for (const Digit& digit : digits) {
    if (digit.dim == Digit::kShared && digit.extent > 1)
      return Diag{"a tile with * merges dimensions, which no nested mode does", "tiles without *"};
    if (digit.uneven) {
      return Diag{fmt::format("a tile of {} does not divide the {} of dimension {} of {}", digit.uneven->first,
                              digit.uneven->second, digit.dim, print(shape)),
                  "sizes that are multiples of their tiles", "to_map(P) has the padded function"};
    }
  }
  return {};
}

cute::IntTuple modeOf(const std::vector<i64>& leaves) {
  if (leaves.size() == 1) return cute::IntTuple(leaves.front());
  return cute::IntTuple::tuple(std::vector<cute::IntTuple>(leaves.begin(), leaves.end()));
}

}  // namespace

Result<cute::Layout> toCute(const Shape& shape) {
  TESSERA_TRY(const Addressing addressing, Addressing::create(shape));
  if (addressing.elements() == 0) {
    return Diag{fmt::format("{} has no elements, a CuTe layout has at least one", print(shape)), "sizes >= 1"};
  }
  std::vector<Digit> digits = digitsOf(addressing.expansion(), shape.sizes());
  TESSERA_CHECKED(requireModes(digits, shape));
  std::ranges::sort(digits, [](const Digit& a, const Digit& b) { return a.weight < b.weight; });
  std::vector<cute::IntTuple> shapes, strides;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    std::vector<i64> extents, steps;
    for (const Digit& digit : digits) {
      if (digit.dim != d || digit.extent < 2) continue;
      extents.push_back(digit.extent);
      steps.push_back(digit.stride);
    }
    if (extents.empty()) extents = {1}, steps = {0};
    shapes.push_back(modeOf(extents));
    strides.push_back(modeOf(steps));
  }
  if (shapes.empty()) return cute::Layout::make(cute::IntTuple(1), cute::IntTuple(0));
  // One split dimension is ((128,8)), one mode: (128,8) would be two.
  if (shapes.size() == 1 && shapes.front().isLeaf()) return cute::Layout::make(shapes.front(), strides.front());
  return cute::Layout::make(cute::IntTuple::tuple(std::move(shapes)), cute::IntTuple::tuple(std::move(strides)));
}

}  // namespace tessera::xla
