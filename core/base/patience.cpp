#include "core/base/patience.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/safety_clock.h"

namespace tessera {
namespace {

constinit thread_local Patience* innermost = nullptr;
constinit thread_local Work granted = kNoLimit;  // what the credit was after the last look
constinit thread_local Work settled = 0;         // what was spent before it

}  // namespace

std::string outOfBudget(Work limit) {
  const double seconds = secondsOf(limit);
  return limit == 0 || seconds >= 0.01 ? fmt::format("out of budget ({:.3g} s of work)", seconds)
                                       : fmt::format("out of budget ({} steps)", limit);
}

Patience::Patience(const PatienceLimits& limits)
    : outer_(innermost), cancel_(limits.cancel), limit_(std::min(limits.steps, workOf(limits.seconds))), left_(limit_) {
  clock_ = limits.clock < 0 ? safetyClock(limit_) : limits.clock;
  end_ = safetyEnd(clock_);
  settle();
  innermost = this;
  granted = patience_detail::credit = std::min(kStepsPerLook, left());
}

Patience::~Patience() {
  settle();
  innermost = outer_;
  granted = patience_detail::credit = outer_ == nullptr ? kNoLimit : 0;  // the outer ones are looked at next
}

void Patience::settle() {
  const Work spent = granted - patience_detail::credit;
  granted = patience_detail::credit;
  settled += spent;
  for (Patience* p = innermost; p != nullptr; p = p->outer_) {
    p->used_ += spent;
    p->left_ -= spent;
  }
}

Work Patience::used() const { return used_ + (granted - patience_detail::credit); }

Work Patience::left() {
  settle();
  Work least = kNoLimit;
  for (const Patience* p = innermost; p != nullptr; p = p->outer_) least = std::min(least, p->left_);
  return least;
}

Work workSpent() { return settled + (granted - patience_detail::credit); }

void lookAtPatience() {
  Patience::settle();
  if (innermost == nullptr) {  // 2^63 steps without one
    granted = patience_detail::credit = kNoLimit;
    return;
  }
  const SafetyTime now = safetyNow();
  Work credit = Patience::kStepsPerLook;
  for (const Patience* p = innermost; p != nullptr; p = p->outer_) {
    if (p->cancelled()) throw OutOfPatience("cancelled", OutOfPatience::Why::Cancelled);
    if (p->left_ < 0) throw OutOfPatience(outOfBudget(p->limit_), OutOfPatience::Why::Counted);
    if (now >= p->end_)
      throw OutOfPatience(fmt::format("stopped by the clock after {:.3g} s", p->clock_), OutOfPatience::Why::Clock);
    credit = std::min(credit, p->left_);
  }
  granted = patience_detail::credit = credit;
}

}  // namespace tessera
