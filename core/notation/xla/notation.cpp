#include "core/notation/xla/notation.h"

#include "core/notation/xla/address.h"

namespace tessera {

Result<Arrow> NotationOf<XlaShape>::arrow(const XlaShape& shape) {
  TESSERA_TRY(Map map, toMap(shape));
  Arrow arrow = arrowOf(std::move(map), SpaceKind::Elements, LinearOrder::Lex, SpaceKind::Memory);
  arrow.to.elementBits = static_cast<int>(shape.storedBits());
  return arrow;
}

Result<Arrow> NotationOf<XlaInstruction>::arrow(const XlaInstruction& line) {
  return NotationOf<XlaShape>::arrow(line.shape);
}

const XlaShape* xlaShapeIn(const Layout& layout) {
  if (const auto* line = layout.as<XlaInstruction>()) return &line->shape;
  return layout.as<XlaShape>();
}

}  // namespace tessera
