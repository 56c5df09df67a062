// The clock of every safety stop (core/base/patience.h, solver/prove/z3_check.h). Nothing else that decides a verdict reads a clock.
//
//     const auto end = safetyEnd(60);      // a minute from now
//     if (safetyNow() >= end) ...          // "stopped by the clock"
//
// Law: under any clock a verdict is what it is under a clock that stands still, or unknown because the clock stopped it
// (tests/check/clock_test.cpp).
#pragma once

#include <chrono>

namespace tessera {

using SafetyTime = std::chrono::steady_clock::time_point;

// On any thread.
[[nodiscard]] SafetyTime safetyNow();
// So many seconds from now, at most 10^9; now, where that is no number above 0.
[[nodiscard]] SafetyTime safetyEnd(double seconds);
// A test's own clock, called on any thread; nullptr: steady_clock again.
void setSafetyClock(SafetyTime (*clock)());

}  // namespace tessera
