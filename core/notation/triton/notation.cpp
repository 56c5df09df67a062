#include "core/notation/triton/notation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/notation/linear/notation.h"
#include "core/notation/triton/lower.h"

namespace tessera::triton {
namespace {

Result<void> needsShape(const Layout& layout) {
  if (!layout.shape.empty() || std::holds_alternative<PaddedShared>(layout.encoding.value)) return {};
  return Diag{fmt::format("#ttg.{} lays out tensors of any shape; which one?", mnemonic(layout.encoding)),
              "ATTRIBUTE over (128,64), or a whole tensor<128x64xf16, ATTRIBUTE>"};
}

}  // namespace

std::string print(const Layout& layout) {
  if (layout.type) return print(*layout.type);
  const std::string text = print(layout.encoding);
  return layout.shape.empty() ? text : text + fmt::format(" over ({})", fmt::join(layout.shape, ","));
}

Result<linear::Layout> toLinear(const Layout& layout) {
  TESSERA_CHECKED(needsShape(layout));
  if (layout.type) return toLinear(*layout.type);
  return toLinear(layout.encoding, layout.shape);
}

Result<Map> toMap(const Layout& layout) {
  TESSERA_CHECKED(needsShape(layout));
  if (layout.type) return toMap(*layout.type);
  return toMap(layout.encoding, layout.shape);
}

Result<Map> memoryMap(const Layout& layout) {
  TESSERA_CHECKED(needsShape(layout));
  if (layout.type) return memoryMap(*layout.type);
  return memoryMap(layout.encoding, layout.shape);
}

bool isView(const Layout& layout) {
  if (!layout.type || layout.type->allocShape.empty()) return false;
  const std::vector<i64>&alloc = layout.type->allocShape, &shape = layout.type->shape;
  return !std::equal(shape.rbegin(), shape.rend(), alloc.rbegin());
}

}  // namespace tessera::triton

namespace tessera {
namespace {

bool isTensorMemory(const triton::Encoding& encoding) {
  return std::holds_alternative<triton::TensorMemory>(encoding.value) ||
         std::holds_alternative<triton::TensorMemoryScales>(encoding.value);
}

}  // namespace

Result<Arrow> NotationOf<triton::Layout>::arrow(const triton::Layout& layout) {
  const Result<linear::Layout> linear = toLinear(layout);
  const bool memory = !isDistributed(layout.encoding) && !isTensorMemory(layout.encoding);
  // The bases suffice, except for views and for three buffers.
  const bool seenWhole = linear.ok() && !isView(layout);
  if (seenWhole && !memory) return NotationOf<linear::Layout>::arrow(*linear);
  if (!linear && !(layout.type && layout.type->memdesc)) return linear.error();
  TESSERA_TRY(const Map map, memoryMap(layout));
  std::vector<Axis> axes = map.axes();
  std::erase_if(axes, [](const Axis& a) { return a.name == "block" && a.extent == 1; });
  TESSERA_TRY(Map places, Map::create(map.digits(), std::move(axes), map.guards(), map.params()));
  Arrow arrow = arrowOf(std::move(places), SpaceKind::Elements, LinearOrder::Lex,
                        memory ? SpaceKind::Memory : SpaceKind::Hardware);
  for (const Axis& a : arrow.map.axes())
    arrow.to.modes.push_back({a.name, {a.extent.value_or(0)}, 0});  // the allocation
  if (layout.type) arrow.to.elementBits = triton::elementBits(layout.type->element);
  return arrow;
}

Result<Arrow> NotationOf<triton::Layout>::threadValueArrow(const triton::Layout& layout) {
  if (isDistributed(layout.encoding) || isTensorMemory(layout.encoding) || isView(layout) ||
      std::holds_alternative<triton::PaddedShared>(layout.encoding.value))
    return Diag{"this Triton layout is not read as (thread, value)", "a layout of two modes"};
  TESSERA_TRY(const linear::Layout linear, toLinear(layout));
  return NotationOf<linear::Layout>::arrow(linear);
}

}  // namespace tessera
