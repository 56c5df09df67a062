// Whether what a kernel is specified to compute grows with a size as its run does (growth.h).
//
//     %C[m,n] += sum(k < 32*K) %A[m,k] * %B[k,n]       K + 3: terms of early inputs stay, those of late inputs are at
//                                                      k + 96, where %A and %B are shifted to; 96 terms between them
//
// By block: the equation of an element shifted by one block reads inputs shifted alike. By step: each reading of an
// input stays where it is (an early input), or moves by the late shift (a late one); a sum that grows has both.
//
// Without a loop that grows, the equation of an element must not change with the size.
//
// Law: if it grows, the specified value at s + period is the one at s, with the same insertion and the same shifts as
// in the run.
#pragma once

#include <map>

#include "solver/graphene/sizes/growth.h"

namespace tessera::graphene {

// By operand with a late shift: the dimension and the least coordinate of a late input at some size.
using LateFrom = std::map<std::size_t, std::pair<std::size_t, i64>>;

// A Diag: what does not follow. `sized`: the same specification with numbers for the sizes (with_sizes.h). `nested`: a
// growing sum may use a whole value that grows too, the same for all its summands, like the maximum of a softmax.
[[nodiscard]] Result<void> specGrows(const Sites& sites, int kernel, const Growth& growth, const Spec& sized,
                                     const LateFrom& lateFrom, bool nested);
// Whether it says the same of an element at a larger size, if no loop grows with that: %y[i] = sum(k < M) %x[i,k] does
// not.
[[nodiscard]] Result<void> specStays(const Sites& sites, int kernel, const Growth& growth);
// Whether the specification of a block along the size is that of the first one, shifted.
[[nodiscard]] Result<void> specFollowsBlocks(const Sites& sites, int kernel, const Growth& growth);

}  // namespace tessera::graphene
