// Triton's layouts as a notation: an attribute and, if known, the shape of the tensor.
//
//     #ttg.blocked<{...}> over (128,64)       Hardware -> Elements(128,64)
//     #ttg.padded_shared<[16:+4] {...}>       Elements -> Memory, padding included
//     tensor<128x64xf16, #ttg.blocked<{...}>>
//     !ttg.memdesc<3x64x32xf16, #ttg.swizzled_shared<{...}>, #ttg.shared_memory, mutable, 3x64x64>
//                                             Elements(3,64,32) -> Memory: buffer * 4096 + place in a 64x64 buffer
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/layout/layout.h"
#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"
#include "core/notation/triton/lower.h"

namespace tessera::triton {

using Layout = Type;

// True for a memdesc that covers only part of its allocation.
[[nodiscard]] bool isView(const Layout& layout);

// The text output of triton-tensor-layout: the threads that own each element, by tensor or by hardware.
//
//     [[T0:0|T4:0, T0:1|T4:1, ..]           tensor view: a cell lists its owners as T<thread>:<register>, with
//      [ T0:2|T4:2, ..]]                    B<block>: in front if there are several blocks; all numbers as wide as the
//                                           largest of their kind
//     Warp0:                                hardware view: one line per register with the lanes' coordinates
//     (0,0), (0,2), (2,0), (2,2)
//     Offset: 8 -> (1,2)                    hardware view of a shared layout
// Refused for more than 2^20 cells.
[[nodiscard]] Result<std::string> dumpLayout(const linear::Layout& layout, bool hardwareView);

}  // namespace tessera::triton

namespace tessera {

template <>
struct NotationOf<triton::Layout> {
  static std::string_view kind(const triton::Layout&) { return "triton"; }
  static std::string_view noun(const triton::Layout&) { return "a Triton layout"; }
  static Result<Arrow> arrow(const triton::Layout& layout);
  // For a memory layout, its bases (offset, block) -> element, as to_linear returns them. In an fp4Padded layout, and
  // if blocks hold copies, several offsets hold the same element, and arrow gives one of them.
  static Result<Arrow> threadValueArrow(const triton::Layout& layout);
};

}  // namespace tessera
