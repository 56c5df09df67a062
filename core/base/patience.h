// Patience: how long the work on this thread may still go on. The innermost loops ask, so that whatever is large, no
// simplification, normalisation or enumeration runs past the budget it was given.
//
//     const Patience patience({.seconds = 3, .cancel = &flag});    // until the end of the block, on this thread
//     simplified(e, box);                                          // each step down an expression is one spend()
//                                                                  // throws OutOfPatience: "out of time after 3 s"
//
// A step is about what 10 to 1000 ns do; a loop that does more in one go spends more. Clock and flag are looked at
// every kStepsPerLook steps, so that spend() costs a subtraction.
//
// Laws: without a Patience on the thread spend() does nothing. Of nested ones each keeps its own limits, and none
// outlasts those around it. With a flag that is set or no time left, at most kStepsPerLook steps are taken before the
// exception. With `steps` exactly so many are (which is how tests hold a budget without a clock).
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

namespace tessera {

class OutOfPatience : public std::exception {
 public:
  OutOfPatience(std::string reason, bool cancelled) : reason_(std::move(reason)), cancelled_(cancelled) {}
  [[nodiscard]] const char* what() const noexcept override { return reason_.c_str(); }
  [[nodiscard]] bool cancelled() const { return cancelled_; }

 private:
  std::string reason_;
  bool cancelled_;
};

struct PatienceLimits {
  double seconds = 1e9;                       // wall clock
  const std::atomic<bool>* cancel = nullptr;  // set from another thread
  std::int64_t steps = INT64_MAX;
};

class Patience {
 public:
  static constexpr std::int64_t kStepsPerLook = 4096;

  explicit Patience(const PatienceLimits& limits);
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  // Steps spent since it began.
  [[nodiscard]] std::int64_t used() const;

 private:
  friend void lookAtPatience();
  // Charges what was spent since the last look to every Patience of the thread.
  static void settle();
  [[nodiscard]] bool cancelled() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }

  Patience* outer_;
  std::chrono::steady_clock::time_point end_;
  double seconds_;
  const std::atomic<bool>* cancel_;
  std::int64_t left_;
  std::int64_t used_ = 0;
};

namespace patience_detail {
// What may be spent before the next look.
inline constinit thread_local std::int64_t credit = INT64_MAX;
}  // namespace patience_detail

// Throws OutOfPatience when one of the thread's is at its end.
void lookAtPatience();

inline void spend(std::int64_t steps = 1) {
  if ((patience_detail::credit -= steps) < 0) lookAtPatience();
}

}  // namespace tessera
