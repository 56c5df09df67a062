// Two threads of a launch, as formulas of bit-vectors: whether they can conflict.
//
//     TwoThreads q(terms, launch, budget);
//     q.conflict(a, {b, c}, {})    some thread's access a and another's b or c overlap: yes, no, or not decided
//     q.differ(condition)          one thread of a block meets the condition and another does not
//
// A variable of scope Thread is two variables; one of scope Block is one variable if the threads are in one block and,
// if they are in one trip of the loops that it belongs to, is one there; an unknown function likewise.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "solver/kernel/prove/symbolic.h"
#include "solver/prove/obligation.h"

namespace tessera::kernel {

class TwoThreads {
 public:
  enum class Answer : unsigned char { No, Yes, Unknown };
  // Writes of equal values to the same bytes: they conflict; or not; or only if the values were read from global
  // memory, where the host or another kernel may write meanwhile.
  enum class EqualWrites : unsigned char { Conflict, Agree, AgreeUnlessRead };
  struct Pairing {
    bool otherBlock = false;
    int nextTripOf = 0;  // the second thread is in the next trip of this loop; 0: both in the same
    Term trip = -1;
  };
  TwoThreads(const Terms& terms, const Launch& launch, const prover::Budget& budget);
  ~TwoThreads();
  TwoThreads(const TwoThreads&) = delete;
  TwoThreads& operator=(const TwoThreads&) = delete;

  [[nodiscard]] Answer conflict(const SymbolicAccess& a, const std::vector<const SymbolicAccess*>& others,
                                const Pairing& pairing, EqualWrites equal);
  // A thread meets `reached` and another of its block (of its warp) neither does so nor ends by a trap.
  [[nodiscard]] Answer differ(const Meeting& meeting, const std::vector<Term>& traps);
  [[nodiscard]] Answer possible(Term condition);
  [[nodiscard]] Answer sameInBlock(Term condition, Term value);  // No: it differs
  // After Yes: values of the variables "param+..." in the model, and the indices of both threads.
  [[nodiscard]] const std::vector<std::pair<Term, u64>>& arguments() const { return arguments_; }
  [[nodiscard]] const std::array<Point, 2>& threads() const { return points_; }
  // After Yes of conflict(): the access of `others` that conflicts.
  [[nodiscard]] const SymbolicAccess* other() const { return other_; }

 private:
  struct Solver;
  [[nodiscard]] bool readsGlobal(Term value) const;
  const Terms& terms_;
  std::unique_ptr<Solver> solver_;
  std::vector<std::pair<Term, u64>> arguments_;
  std::array<Point, 2> points_;
  const SymbolicAccess* other_ = nullptr;
};

}  // namespace tessera::kernel
