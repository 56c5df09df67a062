// spend: counted work, the unit of every budget. Loops and readers call it; patience.h sets the limits and says what a step is.
//
//     spend();        one step
//     spend(300);     a piece of work that is known to be larger
//
// Law: the work that an input costs is the same on every machine. Separate from patience.h, so that the cursor, which every
// reader includes, counts inline.
#pragma once

#include <cstdint>

namespace tessera {

// Steps.
using Work = std::int64_t;

inline constexpr Work kNoLimit = INT64_MAX;

namespace patience_detail {
// What may be spent before the next look.
inline constinit thread_local Work credit = kNoLimit;
}  // namespace patience_detail

// Throws OutOfPatience when a Patience of the thread is at its end.
void lookAtPatience();

inline void spend(Work steps = 1) {
  if ((patience_detail::credit -= steps) < 0) lookAtPatience();
}

}  // namespace tessera
