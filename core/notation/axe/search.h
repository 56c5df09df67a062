// Which digits add up to a number: sum_k digit_k * stride_k == target with low_k <= digit_k < low_k + extent_k.
// Exact depth-first search, largest |stride| first, cut by the range that the remaining digits can reach and by their
// gcd. For strides that nest (a mixed radix) every level has one candidate: linear time.
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

// Calls found(digits), in the order of `iters`, for each solution; found says whether to go on. Returns false when the
// budget (levels visited) ran out, so that the answer is not known to be complete.
[[nodiscard]] bool searchDigits(const std::vector<DigitIter>& iters, i64 target, i64& budget,
                                const std::function<bool(const std::vector<i64>&)>& found);

}  // namespace tessera::axe::detail
