#ifdef TESSERA_HAVE_Z3

#include "solver/prove/z3/z3_check.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/base/work_budget.h"

namespace tessera::prover {

namespace {

// Cost of Z3 4.8.12 in steps (2.5 GHz, kWorkPerSecond = 30 million): a context with its first check takes 3 ms. Of its
// resource units, integers take 40,000 (large coefficients) to 220,000 per second, bits and finite domains 360,000 to
// 1.5 million.
constexpr Work kWorkPerContext = 75'000, kWorkPerCheck = 3'000;
constexpr Work kWorkPerResource = 192, kWorkPerBitResource = 48;

// Interrupts the context from another thread until the check is over. An interrupt before the check has registered
// itself is lost, so it is repeated.
class Watcher {
 public:
  Watcher(z3::context& context, const Budget& budget, double seconds)
      : end_(safetyEnd(seconds)), thread_([this, &context, &budget] {
          std::unique_lock lock(mutex_);
          while (!finished_.wait_for(lock, std::chrono::milliseconds(5), [this] { return done_; }))
            if (budget.cancelled() || safetyNow() >= end_) {
              ended_ = !budget.cancelled();
              context.interrupt();
            }
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

  // Whether the clock stopped the check.
  [[nodiscard]] bool ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = false, ended_ = false;
  SafetyTime end_;
  std::thread thread_;  // last, because it reads the other members
};

bool isOfBits(const std::string& logic) { return logic == "QF_BV" || logic == "QF_FD"; }

}  // namespace

// Z3's solvers for the integer logics try tactics in turn, each limited by wall-clock milliseconds. The plain solver
// counts only resources.
Z3Check::Z3Check(std::string logic, const Budget& budget)
    : logic_(std::move(logic)),
      workPerResource_(isOfBits(logic_) ? kWorkPerBitResource : kWorkPerResource),
      budget_(budget),
      solver_(isOfBits(logic_) ? z3::solver(context_, logic_.c_str()) : z3::solver(context_, z3::solver::simple())) {
  spend(kWorkPerContext);
  // Z3 would replace our Ctrl-C handler during a check: the signal would then only stop this check, which looks like a
  // time-out here.
  z3::params settings(context_);
  settings.set("ctrl_c", false);
  solver_.set(settings);
}

// Steps since the context's first, modulo 2^32.
std::uint32_t Z3Check::resources() {
  const z3::stats all = solver_.statistics();
  for (unsigned k = 0; k < all.size(); ++k)
    if (all.key(k) == "rlimit count") return all.uint_value(k);
  return 0;
}

z3::check_result Z3Check::check(Work most) {
  most = std::min(most, budget_.remaining());
  if (budget_.cancelled() || most <= 0) {
    reason_ = budget_.cancelled() ? "cancelled" : "out of budget";
    return z3::unknown;
  }
  z3::params limit(context_);
  limit.set("rlimit", static_cast<unsigned>(std::clamp<Work>(most / workPerResource_, 1, UINT32_MAX / 2)));
  solver_.set(limit);
  const std::uint32_t before = resources();
  z3::check_result result = z3::unknown;
  bool clock = false;
  try {
    Watcher watcher(context_, budget_, safetyClock(most));
    result = solver_.check();
    clock = watcher.ended();
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
      const bool interrupted = reason_ == "interrupted from keyboard" || reason_ == "canceled" ||
                               reason_ == "interrupted" || reason_ == "timeout";
      if (clock)
        reason_ = "stopped by the clock";
      else if (interrupted || reason_.find("resource limit") != std::string::npos)
        reason_ = "out of budget";
    }
  }
  const Work used = static_cast<Work>(resources() - before) * workPerResource_;
  spend(std::min(used + kWorkPerCheck, most));
  return result;
}

}  // namespace tessera::prover

#endif
