#include "core/base/patience.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

constinit thread_local Patience* innermost = nullptr;
constinit thread_local std::int64_t granted = INT64_MAX;  // what the credit was after the last look

using Clock = std::chrono::steady_clock;

Clock::time_point after(double seconds) {
  const double bounded = seconds > 0 ? std::min(seconds, 1e9) : 0;  // not a number is none left
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(bounded));
}

}  // namespace

Patience::Patience(const PatienceLimits& limits)
    : outer_(innermost),
      end_(after(limits.seconds)),
      seconds_(limits.seconds),
      cancel_(limits.cancel),
      left_(limits.steps) {
  settle();
  innermost = this;
  std::int64_t credit = kStepsPerLook;
  for (const Patience* p = this; p != nullptr; p = p->outer_) credit = std::min(credit, p->left_);
  granted = patience_detail::credit = credit;
}

Patience::~Patience() {
  settle();
  innermost = outer_;
  granted = patience_detail::credit = outer_ == nullptr ? INT64_MAX : 0;  // the outer ones are looked at next
}

void Patience::settle() {
  const std::int64_t spent = granted - patience_detail::credit;
  granted = patience_detail::credit;
  for (Patience* p = innermost; p != nullptr; p = p->outer_) {
    p->used_ += spent;
    p->left_ -= spent;
  }
}

std::int64_t Patience::used() const { return used_ + (granted - patience_detail::credit); }

void lookAtPatience() {
  Patience::settle();
  if (innermost == nullptr) {  // 2^63 steps without one
    granted = patience_detail::credit = INT64_MAX;
    return;
  }
  const auto now = Clock::now();
  std::int64_t credit = Patience::kStepsPerLook;
  for (const Patience* p = innermost; p != nullptr; p = p->outer_) {
    if (p->cancelled()) throw OutOfPatience("cancelled", true);
    if (p->left_ < 0) throw OutOfPatience("out of steps", false);
    if (now >= p->end_) throw OutOfPatience(fmt::format("out of time after {:.3g} s", p->seconds_), false);
    credit = std::min(credit, p->left_);
  }
  granted = patience_detail::credit = credit;
}

}  // namespace tessera
