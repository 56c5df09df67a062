// Linear layouts as a notation. What their inputs and outputs are called says which way they go:
//
//     register, lane, warp, block -> dim0, dim1    Hardware -> Elements
//     dim0, dim1 -> offset                         Elements -> Memory
//     offset -> dim0, dim1                         Memory -> Elements; where it is a bijection it is turned round, so
//                                                  that a memory layout has one direction in whatever notation
#pragma once

#include "core/layout/layout.h"
#include "core/notation/linear/layout.h"

namespace tessera {

template <>
struct NotationOf<linear::Layout> {
  static std::string_view kind(const linear::Layout&) { return "linear"; }
  static std::string_view noun(const linear::Layout&) { return "a linear layout"; }
  static Result<Arrow> arrow(const linear::Layout& layout);
};

}  // namespace tessera

namespace tessera::linear {

// The arrow in the direction that is written.
[[nodiscard]] Result<Arrow> writtenArrow(const Layout& layout);

}  // namespace tessera::linear
