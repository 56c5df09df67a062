#include "core/notation/triton/notation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/notation/linear/notation.h"
#include "core/notation/triton/lower.h"

namespace tessera::triton {
bool isView(const Layout& layout) {
  const std::vector<i64>&alloc = layout.allocShape, &shape = layout.shape;
  return !alloc.empty() && !std::equal(shape.rbegin(), shape.rend(), alloc.rbegin());
}

}  // namespace tessera::triton

namespace tessera {
Result<Arrow> NotationOf<triton::Layout>::arrow(const triton::Layout& layout) {
  const Result<linear::Layout> linear = toLinear(layout);
  const bool memory = !isDistributed(*layout.encoding) && !isTensorMemory(*layout.encoding);
  // The bases suffice, except for views and for three buffers.
  const bool seenWhole = linear.ok() && !isView(layout);
  if (seenWhole && !memory) return NotationOf<linear::Layout>::arrow(*linear);
  if (!linear && !layout.memdesc) return linear.error();
  TESSERA_TRY(const Map map, memoryMap(layout));
  std::vector<Axis> axes = map.axes();
  std::erase_if(axes, [](const Axis& a) { return a.name == "block" && a.extent == 1; });
  TESSERA_TRY(Map places, Map::create(map.digits(), std::move(axes), map.guards(), map.params()));
  Arrow arrow = arrowOf(std::move(places), SpaceKind::Elements, LinearOrder::Lex,
                        memory ? SpaceKind::Memory : SpaceKind::Hardware);
  for (const Axis& a : arrow.map.axes())
    arrow.to.modes.push_back({a.name, {a.extent.value_or(0)}, 0});  // the allocation
  arrow.to.elementBits = triton::elementBits(layout.element);
  return arrow;
}

Result<Arrow> NotationOf<triton::Layout>::threadValueArrow(const triton::Layout& layout) {
  if (isDistributed(*layout.encoding) || isTensorMemory(*layout.encoding) || isView(layout) ||
      std::holds_alternative<triton::PaddedShared>(layout.encoding->value))
    return Diag{"this Triton layout is not read as (thread, value)", "a layout of two modes"};
  TESSERA_TRY(const linear::Layout linear, toLinear(layout));
  return NotationOf<linear::Layout>::arrow(linear);
}

}  // namespace tessera
