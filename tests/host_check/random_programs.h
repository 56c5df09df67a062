// Random correct programs: every thread keeps eight values in registers and moves, exchanges and combines them, so the
// results of the printed text can be compared with the emulator to the last bit.
//
//     %q = %s.tile([1:1],[4:1])  %v = %q[(@t - 5) % 64, (j + 1) % 2]  %w = %r.tile([4:1])[j]
//     sync  %v <- Move(%w)  sync
//
// A permutation of the threads writes the rows of shared memory, with a barrier before and after, so there is no race.
// Threads are numbered by digits of reshaped thread tensors, by sums and remainders (also of negative numbers). Rows
// are plain, padded or swizzled, and chunks have 1 to 8 elements. Loops have steps, and bounds that depend on other
// loops and on a size. Bodies are conditional.
#pragma once

#include <string>

#include "beside.h"

namespace tessera::host_check {

[[nodiscard]] Case randomProgram(unsigned seed);
// C += A * B as gemm_pipelined.graphene has it, with other tiles, warps, stages, numbers of steps (fewer than stages,
// too), swizzles and majors; the depth is a number or a size.
[[nodiscard]] Case randomProduct(unsigned seed);

}  // namespace tessera::host_check
