// Movement: how far the elements of a tensor must move when its register layout changes.
//
//     from   register = [[0,1]], lane = [[0,2],[1,0]]    thread 0 holds (0,0), (0,1)
//     to     register = [[1,0]], lane = [[0,1],[0,2]]    thread 0 needs (0,0), (1,0): (1,0) is in lane 2
//     movementOf(from, to) = Warp: a shuffle would do
//
// Both layouts are linear over bits, so the question is one of subspaces. With reg, lane .. the bases of `from`:
//
//     Same     to == from, as functions
//     Thread   to(x) + from(0, lane, warp, block of x) is in span(reg), for every basis of `to`: registers are renamed
//     Warp     the same with span(reg, lane) and only warp and block fixed: lanes of a warp exchange elements
//     Block    with span(reg, lane, warp): warps exchange elements, through shared memory
//     Cluster  otherwise
//
// Law: each condition is necessary and sufficient: x is the place that needs an element, and the span is what the
// thread (or warp, or block) of x holds. A thread that holds copies may use any of them.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/notation/linear/layout.h"

namespace tessera {

enum class Movement : unsigned char { Same, Thread, Warp, Block, Cluster };
// "same registers", "other registers of the thread", "a shuffle", "shared memory", "other blocks".
[[nodiscard]] std::string_view name(Movement movement);

// Both from (register, lane, warp, block) to the same outputs. A Diag if the outputs or the numbers of lanes, warps or
// blocks differ.
[[nodiscard]] Result<Movement> movementOf(const linear::Layout& from, const linear::Layout& to);

}  // namespace tessera
