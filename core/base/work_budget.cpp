#include "core/base/work_budget.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

constinit thread_local WorkBudget* innermost = nullptr;
constinit thread_local Work granted = kNoLimit;  // the credit after the last check
constinit thread_local Work settled = 0;         // steps spent before that check

using Clock = std::chrono::steady_clock;

std::atomic<SafetyTime (*)()> replaced{nullptr};  // a test's clock

}  // namespace

std::string outOfBudget(Work limit) {
  const double seconds = secondsOf(limit);
  return limit == 0 || seconds >= 0.01 ? fmt::format("out of budget ({:.3g} s of work)", seconds)
                                       : fmt::format("out of budget ({} steps)", limit);
}

WorkBudget::WorkBudget(const WorkLimits& limits)
    : outer_(innermost), cancel_(limits.cancel), limit_(std::min(limits.steps, workOf(limits.seconds))), left_(limit_) {
  clock_ = limits.clock < 0 ? safetyClock(limit_) : limits.clock;
  end_ = safetyEnd(clock_);
  settle();
  innermost = this;
  granted = work_detail::credit = std::min(kStepsPerLook, left());
}

WorkBudget::~WorkBudget() {
  settle();
  innermost = outer_;
  granted = work_detail::credit = outer_ == nullptr ? kNoLimit : 0;  // 0 forces a check of the outer budgets
}

void WorkBudget::settle() {
  const Work spent = granted - work_detail::credit;
  granted = work_detail::credit;
  settled += spent;
  for (WorkBudget* p = innermost; p != nullptr; p = p->outer_) {
    p->used_ += spent;
    p->left_ -= spent;
  }
}

Work WorkBudget::used() const { return used_ + (granted - work_detail::credit); }

Work WorkBudget::left() {
  settle();
  Work least = kNoLimit;
  for (const WorkBudget* p = innermost; p != nullptr; p = p->outer_) least = std::min(least, p->left_);
  return least;
}

Work workSpent() { return settled + (granted - work_detail::credit); }

void checkWorkBudget() {
  WorkBudget::settle();
  if (innermost == nullptr) {  // 2^63 steps without a budget
    granted = work_detail::credit = kNoLimit;
    return;
  }
  const SafetyTime now = safetyNow();
  Work credit = WorkBudget::kStepsPerLook;
  for (const WorkBudget* p = innermost; p != nullptr; p = p->outer_) {
    if (p->cancelled()) throw OutOfBudget("cancelled", OutOfBudget::Why::Cancelled);
    if (p->left_ < 0) throw OutOfBudget(outOfBudget(p->limit_), OutOfBudget::Why::Counted);
    if (now >= p->end_)
      throw OutOfBudget(fmt::format("stopped by the clock after {:.3g} s", p->clock_), OutOfBudget::Why::Clock);
    credit = std::min(credit, p->left_);
  }
  granted = work_detail::credit = credit;
}

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
