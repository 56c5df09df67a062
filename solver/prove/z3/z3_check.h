// One Z3 context with one solver for a logic, a budget of work and a cancel flag. Z3 counts its own steps ("rlimit"); a
// check is limited to the budget's work and charged for what it used, so the same question gets the same answer on any
// machine. A watcher thread interrupts the check on cancellation, within milliseconds, and at a wall-clock safety
// limit.
#pragma once

#include <z3++.h>

#include <cstdint>
#include <string>

#include "solver/prove/obligation.h"

namespace tessera::prover {

class Z3Check {
 public:
  Z3Check(std::string logic, const Budget& budget);
  [[nodiscard]] z3::context& context() { return context_; }
  [[nodiscard]] z3::solver& solver() { return solver_; }

  // Uses at most this much work (and at most what the budget has left).
  z3::check_result check(Work most);
  // Why the last check was unknown: "out of budget", "cancelled", "stopped by the clock", or Z3's message.
  [[nodiscard]] std::string reason() const { return reason_; }

 private:
  std::uint32_t resources();

  std::string logic_;
  Work workPerResource_;  // our steps per Z3 step
  const Budget& budget_;
  z3::context context_;
  z3::solver solver_;
  std::string reason_;
};

}  // namespace tessera::prover
