// Digit search: all solutions of sum_k digit_k * stride_k == target with low_k <= digit_k < low_k + extent_k. Exact
// depth-first search, largest |stride| first, pruned by the range and the gcd of the remaining digits. If the strides
// nest (a mixed radix), every level has one candidate: linear time.
#pragma once

#include <functional>
#include <vector>

#include "core/base/types.h"

namespace tessera::axe::detail {

struct DigitIter {
  i64 extent = 1;
  i64 stride = 1;
  i64 low = 0;
};

// Calls found(digits), in the order of `iters`, for each solution, until found returns false. Returns false if the
// budget (levels visited) ran out, so the search may be incomplete.
[[nodiscard]] bool searchDigits(const std::vector<DigitIter>& iters, i64 target, i64& budget,
                                const std::function<bool(const std::vector<i64>&)>& found);

}  // namespace tessera::axe::detail
