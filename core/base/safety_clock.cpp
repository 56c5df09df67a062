#include "core/base/safety_clock.h"

#include <algorithm>
#include <atomic>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<SafetyTime (*)()> replaced{nullptr};

}  // namespace

SafetyTime safetyNow() {
  SafetyTime (*const clock)() = replaced.load(std::memory_order_relaxed);
  return clock == nullptr ? Clock::now() : clock();
}

SafetyTime safetyEnd(double seconds) {
  const double bounded = seconds > 0 ? std::min(seconds, 1e9) : 0;
  return safetyNow() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(bounded));
}

void setSafetyClock(SafetyTime (*clock)()) { replaced = clock; }

}  // namespace tessera
