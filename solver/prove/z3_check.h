// One Z3 context with one solver made for a logic, a wall-clock budget and a cancel flag. A watcher thread interrupts
// the check when either runs out, so that a cancelled proof returns within milliseconds.
#pragma once

#include <z3++.h>

#include <string>

#include "solver/prove/obligation.h"

namespace tessera::prover {

class Z3Check {
 public:
  Z3Check(std::string logic, const Budget& budget);
  [[nodiscard]] z3::context& context() { return context_; }
  [[nodiscard]] z3::solver& solver() { return solver_; }
  [[nodiscard]] const std::string& logic() const { return logic_; }

  // Runs at most `seconds` (and never past the budget).
  z3::check_result check(double seconds);
  // Why the last check was unknown: "timeout", "cancelled", or Z3's own words.
  [[nodiscard]] std::string reason() const { return reason_; }
  // The assertions so far as SMT-LIB 2 with logic, status and check-sat.
  [[nodiscard]] std::string smt2(z3::check_result status);

 private:
  std::string logic_;
  const Budget& budget_;
  z3::context context_;
  z3::solver solver_;
  std::string reason_;
};

}  // namespace tessera::prover
