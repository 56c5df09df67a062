// Triton's layouts as a notation.
//
//     #ttg.blocked<{...}> over (128,64)       Hardware -> Elements(128,64)
//     #ttg.padded_shared<[16:+4] {...}>       Elements -> Memory, padding included
#pragma once

#include "core/layout/layout.h"
#include "core/notation/triton/layout.h"

namespace tessera {

template <>
struct NotationOf<triton::Layout> {
  static std::string_view kind(const triton::Layout&) { return "triton"; }
  static std::string_view noun(const triton::Layout&) { return "a Triton layout"; }
  static Result<Arrow> arrow(const triton::Layout& layout);
  // For a layout in memory: its bases, (offset, block) -> element, as returned by to_linear. In an fp4Padded layout,
  // and when blocks hold copies, several offsets hold one element, and arrow gives one of them.
  static Result<Arrow> threadValueArrow(const triton::Layout& layout);
};

}  // namespace tessera
