#include "core/notation/xla/notation.h"

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
