// XLA arrays as a notation: Elements, last dimension fastest in a linear index, -> Memory slots of the stored bits.
// An instruction line stands for the array that it declares.
#pragma once

#include "core/layout/layout.h"
#include "core/notation/xla/instruction.h"
#include "core/notation/xla/shape.h"

namespace tessera {

template <>
struct NotationOf<XlaShape> {
  static std::string_view kind(const XlaShape&) { return "shape"; }
  static std::string_view noun(const XlaShape&) { return "an XLA shape"; }
  static Result<Arrow> arrow(const XlaShape& shape);
};

template <>
struct NotationOf<XlaInstruction> {
  static std::string_view kind(const XlaInstruction&) { return "hlo"; }
  static std::string_view noun(const XlaInstruction&) { return "an HLO instruction"; }
  static Result<Arrow> arrow(const XlaInstruction& line);
};

// The shape that a layout is, or that an instruction line declares; nullptr when it is neither.
[[nodiscard]] const XlaShape* xlaShapeIn(const Layout& layout);

}  // namespace tessera
