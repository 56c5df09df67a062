// Interpreter: runs a warp until it waits, ends, or has used its slice.
//
// Its lanes form groups (state.h). A group executes step by step; when its lanes take different branches, or reach a
// step at which other lanes are, groups are formed anew.
//
// It keeps, for each register and byte, whether the value depends on an arbitrary argument, or on the order of atomics.
// While no branch, no guard and no address does, the run has the accesses and the order of every run, and its verdict
// holds for all values and all schedules.
//
// A loop that does nothing but read the same values again is found by comparing the registers at its head after 2^k and
// 2^k + 1 turns, from 64 on: then the warp waits for another one.
#pragma once

#include <set>
#include <span>

#include "solver/kernel/machine/arithmetic.h"
#include "solver/kernel/machine/async.h"
#include "solver/kernel/machine/barriers.h"
#include "solver/kernel/machine/clusters.h"
#include "solver/kernel/machine/matrix_access.h"
#include "solver/kernel/symbolic/step_terms.h"

namespace tessera::kernel {

enum class Pause : unsigned char { Slice, Waits, Spins, Done };

class Interpreter {
 public:
  Interpreter(const Program& program, Findings& findings, Order& order, MemoryUnit& memory, Barriers& barriers,
              Clusters& clusters, Async& async)
      : program_(program),
        findings_(findings),
        order_(order),
        memory_(memory),
        barriers_(barriers),
        clusters_(clusters),
        async_(async),
        matrices_(program, memory),
        arithmetic_(program, findings),
        terms_(program, memory.symbolic()) {}

  // Requires: the block has started, the warp is not done.
  Pause run(Block& block, Warp& w, i64 slice);
  [[nodiscard]] i64 threadInstructions() const { return executed_; }
  [[nodiscard]] const std::map<std::string, std::string>& bounds() const { return arithmetic_.bounds(); }
  // The first branch, guard or address that depends on an arbitrary argument, or on the order of atomics; empty: none.
  [[nodiscard]] const std::string& dependence() const { return dependence_; }
  // Lines whose addresses do: that they are out of bounds for one value says nothing.
  [[nodiscard]] const std::set<int>& dependentLines() const { return dependentLines_; }

 private:
  enum class Next : unsigned char { Step, Regroup, Pause };
  bool regroup(Block& block, Warp& w);
  Next execute(Block& block, Warp& w, const Step& s, Mask mask);
  [[nodiscard]] Mask membersOf(Warp& w, const Step& s, Mask mask) const;
  bool gather(Warp& w, const Step& s, Mask mask, Mask members);
  void checkNamed(Warp& w, const Step& s, Mask mask);
  Next branch(Warp& w, const Step& s, Mask mask);
  Next branchTable(Warp& w, const Step& s, Mask mask);
  Next call(Warp& w, const Step& s, Mask mask);
  Next leave(Block& block, Warp& w, Mask mask);
  Next end(Block& block, Warp& w, Mask mask);
  bool spins(Warp& w, int head);
  void unsupported(const Warp& w, const Step& s, Mask mask, const std::string& why);
  [[nodiscard]] const Lanes& in(Warp& w, Place p) const { return sourceOf(program_, w, p); }
  [[nodiscard]] Mask guarded(Warp& w, const Step& s) const;
  [[nodiscard]] std::span<const Place> decisive(const Step& s) const;
  void follow(Warp& w, const Step& s);
  // The terms of the step's values, except those that come with the execution of it.
  void trace(Symbolic& values, Warp& w, const Step& s, Mask mask);
  // Lanes of the step's sources that depend on one.
  [[nodiscard]] Mask dependsOn(const Warp& w, const Step& s) const;
  void spread(Warp& w, const Step& s, Mask mask, Mask depends) const;
  void noteDependence(const Warp& w, const Step& s, const char* what);

  const Program& program_;
  Findings& findings_;
  Order& order_;
  MemoryUnit& memory_;
  Barriers& barriers_;
  Clusters& clusters_;
  Async& async_;
  MatrixAccess matrices_;
  Arithmetic arithmetic_;
  StepTerms terms_;
  i64 executed_ = 0;
  std::string dependence_;
  std::set<int> dependentLines_;
  struct Watch {
    int head = -1;
    i64 turns = 0;
    u64 state = 0, changes = 0;
  } watch_;
};

}  // namespace tessera::kernel
