// The text output of triton-tensor-layout: which thread owns which element, by tensor or by hardware.
//
//     [[T0:0|T4:0, T0:1|T4:1, ..]           tensor view: a cell lists its owners as T<thread>:<register>, with
//      [ T0:2|T4:2, ..]]                    B<block>: in front if there are several blocks; all numbers as wide as the
//                                           largest of their kind
//     Warp0:                                hardware view: one line per register with the lanes' coordinates
//     (0,0), (0,2), (2,0), (2,2)
//     Offset: 8 -> (1,2)                    hardware view of a shared layout
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/notation/linear/layout.h"

namespace tessera::triton {

// Refused for more than 2^20 cells.
[[nodiscard]] Result<std::string> dumpLayout(const linear::Layout& layout, bool hardwareView);

}  // namespace tessera::triton
