// XLA arrays as a notation: Elements, with the last dimension fastest in a linear index, -> Memory, in slots of the
// stored bits. An instruction line denotes the array that it declares.
#pragma once

#include "core/layout/layout.h"
#include "core/notation/cute/layout.h"
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

// An XLA array as a CuTe layout: a tile becomes a nested mode whose leftmost (fastest) leaves are inside the tile.
//
//     bf16[4,8]{1,0:T(2,4)(2,1)}  ->  ((2,2),(4,2)):((1,16),(2,8))
//     f32[2,3]{0,1}               ->  (2,3):(1,2)
//
// Law: toMap(toCute(P)) and toMap(P) are the same function of the logical index.
// Refused, with the numbers: a dimension that its tile does not divide, because the index space of a padded tile is not
// a product of modes, and merged dimensions (*).
[[nodiscard]] Result<cute::Layout> toCute(const Shape& shape);

}  // namespace tessera::xla
