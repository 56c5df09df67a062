// spend: counted work, the unit of every budget. Loops and readers call it; work_budget.h sets the limits and defines a
// step.
//
//     spend();        one step
//     spend(300);     a piece of work that is known to be larger
//
// Law: the work of an input is the same on every machine. Separate from work_budget.h, so that the cursor, which every
// reader includes, counts inline.
#pragma once

#include <cstdint>

namespace tessera {

// Steps.
using Work = std::int64_t;

inline constexpr Work kNoLimit = INT64_MAX;

namespace work_detail {
// The steps left until the next check.
inline constinit thread_local Work credit = kNoLimit;
}  // namespace work_detail

// Throws OutOfBudget if a WorkBudget of the thread is exhausted.
void checkWorkBudget();

inline void spend(Work steps = 1) {
  if ((work_detail::credit -= steps) < 0) checkWorkBudget();
}

}  // namespace tessera
