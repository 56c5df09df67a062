// The clock of every safety stop (core/base/work_budget.h,
// solver/prove/z3/z3_check.h), the only clock that can affect a verdict.
//
//     const auto end = safetyEnd(60);      // a minute from now
//     if (safetyNow() >= end) ...          // "stopped by the clock"
//
// Law: under any clock, a verdict equals the verdict under a stopped clock, or is unknown because of a safety stop
// (tests/check/clock_test.cpp).
#pragma once

#include <chrono>

namespace tessera {

using SafetyTime = std::chrono::steady_clock::time_point;

// Thread-safe.
[[nodiscard]] SafetyTime safetyNow();
// That many seconds from now, at most 10^9; now, if `seconds` is not a number above 0.
[[nodiscard]] SafetyTime safetyEnd(double seconds);
// Sets a test clock, called on any thread; nullptr restores steady_clock.
void setSafetyClock(SafetyTime (*clock)());

}  // namespace tessera
