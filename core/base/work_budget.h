// WorkBudget: how much more work may be done on this thread. The innermost loops ask, so that no reading,
// simplification, normalisation or enumeration exceeds the budget it was given, however large its input is.
//
//     const WorkBudget limit({.seconds = 3, .cancel = &flag});    // until the end of the block, on this thread
//     simplified(e, box);                                          // each step down an expression is one spend()
//                                                                  // throws OutOfBudget: "out of budget (3 s of work)"
//
// A budget is counted work and not time: a second of it is kWorkPerSecond steps, so that the same input gets the same
// verdict on a slow machine, a loaded one and under a sanitizer. A step is about what 10 to 1000 ns do; a loop that
// does more in one go spends more, and Z3's resource count is charged as steps (solver/prove/z3/z3_check.h). The clock
// is a safety stop far beyond what the work should take (WorkLimits::clock), whose exception says so.
//
// Laws: without a WorkBudget on the thread spend() only counts. Of nested ones each keeps its own limits, and none
// outlasts those around it. The flag is looked at every kStepsPerLook steps, so that spend() costs a subtraction.
// The work that an input costs does not depend on the machine: workSpent() differs by the same number in each run.
// Why an exception: a hundred pure functions would each have to pass "given up" on, and one that forgot would be a hang
// or, worse, half an answer. It does not leave prove() or a statement (app/engine/answers.cpp), no more than bad_alloc
// does: there it is an `unknown` or a Diag with the reason.
// It is no Diag: nothing is wrong with the input.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
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
  // Counted work was at its end: the same on every machine. Only then may another method go on where this one ended; a
  // catch of anything else throws it again, or says unknown.
  [[nodiscard]] bool counted() const { return why_ == Why::Counted; }

 private:
  std::string reason_;
  Why why_;
};

// What one second of a budget buys. Measured at 2.5 GHz: runs of Graphene programs take 10 to 25 million steps a
// second, worksheets 10 million; 30 million so that each program of the gallery is decided within 10 s (attention_heads
// at its small sizes takes the most, 183 million).
inline constexpr Work kWorkPerSecond = 30'000'000;

// Steps of so many seconds of budget; none for what is no number.
[[nodiscard]] constexpr Work workOf(double seconds) {
  if (!(seconds > 0)) return 0;
  return seconds < 1e9 ? static_cast<Work>(seconds * static_cast<double>(kWorkPerSecond)) : kNoLimit;
}

[[nodiscard]] constexpr double secondsOf(Work work) {
  return static_cast<double>(work) / static_cast<double>(kWorkPerSecond);
}

// Both `seconds` and `steps` hold.
struct WorkLimits {
  double seconds = 1e9;                       // of work
  const std::atomic<bool>* cancel = nullptr;  // set from another thread
  Work steps = kNoLimit;
  double clock = -1;  // seconds until the safety stop; below 0: safetyClock() of the work
};

// Under AddressSanitizer work takes up to ten times as long.
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

// Seconds after which so much work is stopped in any case: 20 times as long as it should take, a minute at least.
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
// That many seconds from now, at most 10^9; now, if `seconds` is not a number above 0.
[[nodiscard]] SafetyTime safetyEnd(double seconds);
// Sets a test clock, called on any thread; nullptr restores steady_clock.
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

  // Steps spent since it began.
  [[nodiscard]] Work used() const;
  // What this thread may still spend: the least that is left of all around; kNoLimit without one.
  [[nodiscard]] static Work left();

 private:
  friend void checkWorkBudget();
  // Charges what was spent since the last look to every WorkBudget of the thread.
  static void settle();
  [[nodiscard]] bool cancelled() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }

  WorkBudget* outer_;
  std::chrono::steady_clock::time_point end_;
  double clock_;
  const std::atomic<bool>* cancel_;
  Work limit_, left_;
  Work used_ = 0;
};

// Steps that this thread has spent so far, with or without a WorkBudget. Its differences are what something costs.
[[nodiscard]] Work workSpent();

}  // namespace tessera
