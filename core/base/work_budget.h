// WorkBudget: a limit on the work of this thread. The innermost loops check it, so no parse, simplification,
// normalisation or enumeration exceeds its budget, however large the input.
//
//     const WorkBudget limit({.seconds = 3, .cancel = &flag});    // until the end of the block, on this thread
//     simplified(e, box);                                          // each step down an expression is one spend()
//                                                                  // throws OutOfBudget: "out of budget (3 s of work)"
//
// A budget counts work, not time: a second is kWorkPerSecond steps. The same input therefore gets the same verdict on a
// slow machine, on a loaded one and under a sanitizer. A step takes 10 to 1000 ns; a loop that does more per iteration
// spends more, and Z3's resource count is charged as steps (solver/prove/z3/z3_check.h). The clock is a safety stop far
// beyond the expected time (WorkLimits::clock); its exception names the clock.
//
// Laws: without a WorkBudget on the thread, spend() only counts. Nested budgets keep their own limits; none outlasts an
// outer one. The cancel flag is read every kStepsPerLook steps, so spend() costs one subtraction. The work of an
// input does not depend on the machine: workSpent() grows by the same number in each run.
// Why an exception: otherwise a hundred pure functions would pass on "given up", and one that forgot would hang or
// return half an answer. It never leaves prove() or a statement (app/engine/answers.cpp): there it becomes an `unknown`
// or a Diag with the reason. Why not a Diag: nothing is wrong with the input.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <string>

#include "core/base/work.h"

namespace tessera {

class OutOfBudget : public std::exception {
 public:
  enum class Why : unsigned char { Counted, Cancelled, Clock };

  OutOfBudget(std::string reason, Why why) : reason_(std::move(reason)), why_(why) {}
  [[nodiscard]] const char* what() const noexcept override { return reason_.c_str(); }
  [[nodiscard]] bool cancelled() const { return why_ == Why::Cancelled; }
  // The counted work is exhausted, on every machine. Only then may another method continue; every other catch rethrows
  // or answers unknown.
  [[nodiscard]] bool counted() const { return why_ == Why::Counted; }

 private:
  std::string reason_;
  Why why_;
};

// The steps in one second of a budget. At 2.5 GHz, Graphene programs run 10 to 25 million steps a second and worksheets
// 10 million. 30 million lets every program of the gallery be decided within 10 s (the largest, lstm for every size,
// takes 255 to 271 million).
inline constexpr Work kWorkPerSecond = 30'000'000;

// The steps in this many seconds; 0 unless `seconds` is positive.
[[nodiscard]] constexpr Work workOf(double seconds) {
  if (!(seconds > 0)) return 0;
  return seconds < 1e9 ? static_cast<Work>(seconds * static_cast<double>(kWorkPerSecond)) : kNoLimit;
}

[[nodiscard]] constexpr double secondsOf(Work work) {
  return static_cast<double>(work) / static_cast<double>(kWorkPerSecond);
}

// Both limits apply: `seconds` and `steps`.
struct WorkLimits {
  double seconds = 1e9;                       // of work
  const std::atomic<bool>* cancel = nullptr;  // set from another thread
  Work steps = kNoLimit;
  double clock = -1;  // seconds until the safety stop; below 0: safetyClock() of the work
};

// Work takes up to ten times as long under AddressSanitizer.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr double kSlowdown = 10;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr double kSlowdown = 10;
#else
inline constexpr double kSlowdown = 1;
#endif
#else
inline constexpr double kSlowdown = 1;
#endif

// Seconds until the safety stop of this work: 20 times the expected time, at least a minute.
[[nodiscard]] constexpr double safetyClock(Work work) {
  return kSlowdown * (secondsOf(work) > 3 ? 20 * secondsOf(work) : 60);
}

// The clock of every safety stop (here and in solver/prove/z3/z3_check.h), the only one that can affect a verdict.
//
//     const auto end = safetyEnd(60);      // a minute from now
//     if (safetyNow() >= end) ...          // "stopped by the clock"
//
// Law: under any clock, a verdict equals the verdict under a stopped clock, or is unknown because of a safety stop
// (tests/check/clock_test.cpp).
using SafetyTime = std::chrono::steady_clock::time_point;

// Thread-safe.
[[nodiscard]] SafetyTime safetyNow();
// That many seconds from now, at most 10^9; now unless `seconds` is positive.
[[nodiscard]] SafetyTime safetyEnd(double seconds);
// Sets a clock for tests, which any thread may call; nullptr restores steady_clock.
void setSafetyClock(SafetyTime (*clock)());

// "out of budget (10 s of work)"; "out of budget (5 steps)" below a hundredth of a second.
[[nodiscard]] std::string outOfBudget(Work limit);

class WorkBudget {
 public:
  static constexpr Work kStepsPerLook = 4096;

  explicit WorkBudget(const WorkLimits& limits);
  ~WorkBudget();
  WorkBudget(const WorkBudget&) = delete;
  WorkBudget& operator=(const WorkBudget&) = delete;

  // Steps spent since construction.
  [[nodiscard]] Work used() const;
  // What this thread may still spend: the minimum over the nested budgets; kNoLimit without one.
  [[nodiscard]] static Work left();

 private:
  friend void checkWorkBudget();
  // Charges the work since the last check to every WorkBudget of the thread.
  static void settle();
  [[nodiscard]] bool cancelled() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }

  WorkBudget* outer_;
  std::chrono::steady_clock::time_point end_;
  double clock_;
  const std::atomic<bool>* cancel_;
  Work limit_, left_;
  Work used_ = 0;
};

// The steps of this thread so far, with or without a WorkBudget. The difference of two readings is the cost in between.
[[nodiscard]] Work workSpent();

}  // namespace tessera
