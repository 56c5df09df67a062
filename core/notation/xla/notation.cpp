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

// Checks that the digits are modes.
Result<void> requireModes(const std::vector<Digit>& digits, const Shape& shape) {
  for (const Digit& digit : digits) {
    if (digit.dim == Digit::kShared && digit.extent > 1)
      return Diag{"a tile with * merges dimensions, which no nested mode can express", "tiles without *"};
    if (digit.uneven) {
      return Diag{fmt::format("a tile of {} does not divide the {} of dimension {} of {}", digit.uneven->first,
                              digit.uneven->second, digit.dim, print(shape)),
                  "sizes that are multiples of their tiles", "to_map(P) has the padded function"};
    }
  }
  return {};
}

}  // namespace

Result<cute::Layout> toCute(const Shape& shape) {
  TESSERA_TRY(const Addressing addressing, Addressing::create(shape));
  if (addressing.elements() == 0) {
    return Diag{fmt::format("{} has no elements, but a CuTe layout has at least one", print(shape)), "sizes >= 1"};
  }
  std::vector<Digit> digits = digitsOf(addressing.expansion(), shape.sizes());
  TESSERA_CHECKED(requireModes(digits, shape));
  std::ranges::sort(digits, [](const Digit& a, const Digit& b) { return a.weight < b.weight; });
  std::vector<std::vector<cute::LayoutLeaf>> modes(std::max<std::size_t>(shape.rank(), 1));
  for (const Digit& digit : digits)
    if (digit.extent > 1) modes[digit.dim].push_back({digit.extent, digit.stride});
  for (auto& mode : modes)
    if (mode.empty()) mode.push_back({1, 0});
  // One split dimension is ((128,8)), one mode: (128,8) would be two.
  const bool oneLeaf = modes.size() == 1 && modes[0].size() == 1;
  const std::vector<cute::IntTuple> profile(modes.size());
  return cute::refined(oneLeaf ? profile[0] : cute::IntTuple::tuple(profile), modes, false);
}

}  // namespace tessera::xla
