#include "core/notation/triton/notation.h"

#include <algorithm>

#include "core/notation/linear/notation.h"
#include "core/notation/triton/lower.h"

namespace tessera {
namespace {

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

Result<Arrow> NotationOf<triton::Layout>::arrow(const triton::Layout& layout) {
  TESSERA_TRY(const linear::Layout linear, toLinear(layout));
  if (!linear.hasIn("offset")) return NotationOf<linear::Layout>::arrow(linear);
  TESSERA_TRY(const Map map, memoryMap(layout.encoding, layout.shape));
  std::vector<Axis> axes = map.axes();
  std::erase_if(axes, [&](const Axis& a) { return a.name == "block" && linear.inSize("block") == 1; });
  TESSERA_TRY(Map addresses, Map::create(map.digits(), std::move(axes), map.guards(), map.params()));
  Arrow arrow = arrowOf(std::move(addresses), SpaceKind::Elements, LinearOrder::Lex, SpaceKind::Memory);
  if (layout.type) arrow.to.elementBits = bitsOfElement(layout.type->element);
  return arrow;
}

}  // namespace tessera
