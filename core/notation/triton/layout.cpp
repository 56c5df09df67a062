#include "core/notation/triton/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/notation/linear/notation.h"
#include "core/notation/triton/lower.h"

namespace tessera {
namespace {

Result<void> needsShape(const TritonLayout& layout) {
  if (!layout.shape.empty() || std::holds_alternative<TritonPaddedShared>(layout.encoding.value)) return {};
  return Diag{fmt::format("#ttg.{} lays out tensors of any shape; which one?", mnemonic(layout.encoding)),
              "ATTRIBUTE over (128,64), or a whole tensor<128x64xf16, ATTRIBUTE>",
              "",
              {}};
}

// Bits of "f16", "bf16", "i8"; 0 for what has none (pointers).
int bitsOfElement(const std::string& element) {
  const std::size_t digits = element.find_first_of("0123456789");
  if (digits == std::string::npos || element.find('<') != std::string::npos) return 0;
  int bits = 0;
  for (std::size_t k = digits; k < element.size() && element[k] >= '0' && element[k] <= '9' && bits < 1000; ++k)
    bits = bits * 10 + (element[k] - '0');
  return element.rfind("f8", 0) == 0 ? 8 : bits > 128 ? 0 : bits;
}

}  // namespace

std::string print(const TritonLayout& layout) {
  if (layout.type) return print(*layout.type);
  const std::string text = print(layout.encoding);
  return layout.shape.empty() ? text : text + fmt::format(" over ({})", fmt::join(layout.shape, ","));
}

Result<LinearLayout> toLinear(const TritonLayout& layout) {
  TESSERA_CHECKED(needsShape(layout));
  return toLinear(layout.encoding, layout.shape);
}

Result<Map> toMap(const TritonLayout& layout) {
  TESSERA_CHECKED(needsShape(layout));
  return toMap(layout.encoding, layout.shape);
}

Result<Arrow> NotationOf<TritonLayout>::arrow(const TritonLayout& layout) {
  TESSERA_TRY(const LinearLayout linear, toLinear(layout));
  if (!linear.hasIn("offset")) return NotationOf<LinearLayout>::arrow(linear);
  TESSERA_TRY(const Map map, memoryMap(layout.encoding, layout.shape));
  std::vector<Axis> axes = map.axes();
  std::erase_if(axes, [&](const Axis& a) { return a.name == "block" && linear.inSize("block") == 1; });
  TESSERA_TRY(Map addresses, Map::create(map.digits(), std::move(axes), map.guards(), map.params()));
  Arrow arrow = arrowOf(std::move(addresses), SpaceKind::Elements, LinearOrder::Lex, SpaceKind::Memory);
  if (layout.type) arrow.to.elementBits = bitsOfElement(layout.type->element);
  return arrow;
}

}  // namespace tessera
