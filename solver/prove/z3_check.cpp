#ifdef TESSERA_HAVE_Z3

#include "solver/prove/z3_check.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tessera::prover {

namespace {

// Interrupts the context from another thread until the check is over: an interrupt that comes before the check has
// registered itself is lost, so it is repeated.
class Watcher {
 public:
  Watcher(z3::context& context, const Budget& budget, double seconds)
      : end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds))),
        thread_([this, &context, &budget] {
          std::unique_lock lock(mutex_);
          while (!finished_.wait_for(lock, std::chrono::milliseconds(5), [this] { return done_; }))
            if (budget.cancelled() || std::chrono::steady_clock::now() >= end_) context.interrupt();
        }) {}
  ~Watcher() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    finished_.notify_one();
    thread_.join();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = false;
  std::chrono::steady_clock::time_point end_;
  std::thread thread_;  // last: it reads the others
};

}  // namespace

Z3Check::Z3Check(std::string logic, const Budget& budget)
    : logic_(std::move(logic)), budget_(budget), solver_(context_, logic_.c_str()) {
  // Z3 would put its own handler for Ctrl-C in place of ours during a check: the signal would stop this check, which looks
  // like a time-out from here, and nothing else.
  z3::params settings(context_);
  settings.set("ctrl_c", false);
  solver_.set(settings);
}

z3::check_result Z3Check::check(double seconds) {
  seconds = std::min(seconds, budget_.remainingSeconds());
  if (budget_.cancelled() || seconds <= 0) {
    reason_ = budget_.cancelled() ? "cancelled" : "timeout";
    return z3::unknown;
  }
  z3::check_result result = z3::unknown;
  try {
    const Watcher watcher(context_, budget_, seconds);
    result = solver_.check();
  } catch (const z3::exception& e) {
    reason_ = e.msg();
    result = z3::unknown;
  }
  if (result == z3::unknown) {
    if (budget_.cancelled()) {
      reason_ = "cancelled";
    } else {
      try {
        reason_ = solver_.reason_unknown();
      } catch (const z3::exception& e) {
        reason_ = e.msg();
      }
      if (reason_ == "interrupted from keyboard" || reason_ == "canceled" || reason_ == "interrupted")
        reason_ = "timeout";
    }
  }
  return result;
}

std::string Z3Check::smt2(z3::check_result status) {
  const char* word = status == z3::sat ? "sat" : status == z3::unsat ? "unsat" : "unknown";
  std::string text = solver_.to_smt2(word);
  if (text.rfind("; benchmark", 0) == 0) text.erase(0, text.find('\n') + 1);
  return "(set-logic " + logic_ + ")\n" + text;
}

}  // namespace tessera::prover

#endif
