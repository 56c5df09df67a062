#include "core/notation/triton/layout.h"

#include <fmt/format.h>

#include <algorithm>

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
