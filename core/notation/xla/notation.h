// XLA arrays as a notation: Elements, last dimension fastest in a linear index, -> Memory slots of the stored bits.
// An instruction line denotes the array that it declares.
#pragma once

#include "core/layout/layout.h"
#include "core/notation/xla/instruction.h"
#include "core/notation/xla/shape.h"

namespace tessera {

template <>
struct NotationOf<xla::Shape> {
  static std::string_view kind(const xla::Shape&) { return "shape"; }
  static std::string_view noun(const xla::Shape&) { return "an XLA shape"; }
  static Result<Arrow> arrow(const xla::Shape& shape);
  static constexpr std::string_view kFamily = "xla";
};

template <>
struct NotationOf<xla::Instruction> {
  static std::string_view kind(const xla::Instruction&) { return "hlo"; }
  static std::string_view noun(const xla::Instruction&) { return "an HLO instruction"; }
  static Result<Arrow> arrow(const xla::Instruction& line);
  static constexpr std::string_view kFamily = "xla";
};

}  // namespace tessera

namespace tessera::xla {

// The shape that a layout is, or that an instruction line declares; nullptr otherwise.
[[nodiscard]] const Shape* shapeIn(const tessera::Layout& layout);

}  // namespace tessera::xla
