// A solver for questions over Terms: Z3, or in a build without it one that answers unknown. Both write the same text.
//
//     smt::Terms terms;
//     SmtSolver solver(terms, "QF_LIA", budget);
//     solver.add(condition);
//     solver.check(most)              Unsat: no values; Sat: value(term) is its value; Unknown: reason() says why
//     solver.text("a pair", "none")   the question and its answer as SMT-LIB 2
//
// Law: the text does not depend on whether there is a Z3, except for the answer in (set-info :status ...).
// A failure of Z3 is an SmtFailure.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solver/prove/obligation.h"
#include "solver/prove/smt/terms.h"
#include "solver/prove/smt/text.h"
#include "solver/prove/structure/normal.h"

namespace tessera::prover {

struct SmtFailure {
  std::string message;
};

class SmtSolver {
 public:
  SmtSolver(smt::Terms& terms, std::string logic, const Budget& budget);
  ~SmtSolver();
  SmtSolver(const SmtSolver&) = delete;
  SmtSolver& operator=(const SmtSolver&) = delete;

  [[nodiscard]] const std::string& logic() const { return question_.logic; }
  void add(smt::Term condition);
  // pop() forgets the conditions and the terms since push().
  void push();
  void pop();
  // Uses at most this much work (and at most what the budget has left).
  smt::Status check(Work most);
  // Why the last check was unknown.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // In the solution that was found last; nullopt if it exceeds 64 bits.
  [[nodiscard]] std::optional<i64> value(smt::Term t);
  // Shrinks each term towards 0, in order, while the conditions stay satisfiable, within a share of the budget. The
  // solution is then the smaller one. Requires: the last check was Sat.
  void minimise(const std::vector<smt::Term>& terms);

  // The conditions, with the answer of the last check. `ifSat`, `ifUnsat`: what the answer says about the claim.
  [[nodiscard]] std::string text(std::string ifSat, std::string ifUnsat) const;

 private:
  struct Z3;
  struct Level {
    std::size_t conditions;
    int terms;
  };

  smt::Terms& terms_;
  smt::Question question_;
  std::vector<Level> levels_;
  std::string reason_;
  std::unique_ptr<Z3> z3_;
};

// The values of a copy's parts and parameters in the solution, by atom: -1 if one exceeds 64 bits, 0 for other atoms.
[[nodiscard]] std::vector<i64> atomValues(const Normal& normal, SmtSolver& solver, const std::vector<smt::Term>& copy);

// The answer of `ask`, which puts its questions to an SmtSolver. Without Z3 it is unknown: `ask` then only writes the
// questions, if they are wanted, within a small share of the budget, and the reason says how many there are.
[[nodiscard]] Answer bySmt(bool wantsText, const Budget& budget, const std::function<Answer()>& ask);

}  // namespace tessera::prover
