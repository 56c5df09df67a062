// Linear layouts as a notation. The names of inputs and outputs give the direction:
//
//     register, lane, warp, block -> dim0, dim1    Hardware -> Elements
//     dim0, dim1 -> offset                         Elements -> Memory
//     offset -> dim0, dim1                         Memory -> Elements; inverted if bijective, so that memory layouts
//                                                  have the same direction in every notation
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

// The arrow in the written direction.
[[nodiscard]] Result<Arrow> writtenArrow(const Layout& layout);

}  // namespace tessera::linear
