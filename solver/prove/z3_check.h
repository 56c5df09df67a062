// One Z3 context with one solver made for a logic, a budget of work and a cancel flag. Z3 counts its own steps
// ("rlimit"); a check may take as many as the budget has work for, and is charged what it used: the same question gets
// the same answer on any machine. A watcher thread interrupts the check when it is cancelled, so that it returns within
// milliseconds, and at the safety stop of the clock.
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
  [[nodiscard]] const std::string& logic() const { return logic_; }

  // Takes at most so much work (and never more than the budget has).
  z3::check_result check(Work most);
  // Why the last check was unknown: "out of budget", "cancelled", "stopped by the clock", or Z3's own words.
  [[nodiscard]] std::string reason() const { return reason_; }
  // The assertions so far as SMT-LIB 2 with logic, status and check-sat.
  [[nodiscard]] std::string smt2(z3::check_result status);

 private:
  std::uint32_t resources();

  std::string logic_;
  Work workPerResource_;  // steps that one of Z3's is worth
  const Budget& budget_;
  z3::context context_;
  z3::solver solver_;
  std::string reason_;
};

}  // namespace tessera::prover
