#include "core/notation/triton/layout.h"

#include <fmt/format.h>

#include "core/notation/triton/lower.h"

namespace tessera::triton {
namespace {

Result<void> needsShape(const Layout& layout) {
  if (!layout.shape.empty() || std::holds_alternative<PaddedShared>(layout.encoding.value)) return {};
  return Diag{fmt::format("#ttg.{} lays out tensors of any shape; which one?", mnemonic(layout.encoding)),
              "ATTRIBUTE over (128,64), or a whole tensor<128x64xf16, ATTRIBUTE>",
              "",
              {}};
}

}  // namespace

std::string print(const Layout& layout) {
  if (layout.type) return print(*layout.type);
  const std::string text = print(layout.encoding);
  return layout.shape.empty() ? text : text + fmt::format(" over ({})", fmt::join(layout.shape, ","));
}

Result<linear::Layout> toLinear(const Layout& layout) {
  TESSERA_CHECKED(needsShape(layout));
  return toLinear(layout.encoding, layout.shape);
}

Result<Map> toMap(const Layout& layout) {
  TESSERA_CHECKED(needsShape(layout));
  return toMap(layout.encoding, layout.shape);
}

}  // namespace tessera::triton
