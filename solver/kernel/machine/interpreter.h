// Interpreter: runs a warp until it waits, ends, or has used its slice.
//
// Its lanes form groups (state.h). A group executes step by step; when its lanes take different branches, or reach a
// step at which other lanes are, groups are formed anew.
//
// With arbitrary arguments it keeps, for each register and byte, whether the value depends on one. While no branch, no
// guard and no address does, the run has the accesses and the order of every run, and its verdict holds for all values.
//
// A loop that does nothing but read the same values again is found by comparing the registers at its head after 2^k and
// 2^k + 1 turns: then the warp waits for another one.
#pragma once

#include <set>

#include "solver/kernel/machine/async.h"
#include "solver/kernel/machine/barriers.h"
#include "solver/kernel/machine/matrix_access.h"

namespace tessera::kernel {

enum class Pause : unsigned char { Slice, Waits, Spins, Done };

class Interpreter {
 public:
  Interpreter(const Program& program, const Launch& launch, Findings& findings, Order& order, MemoryUnit& memory,
              Barriers& barriers, Async& async)
      : program_(program),
        launch_(launch),
        findings_(findings),
        order_(order),
        memory_(memory),
        barriers_(barriers),
        async_(async),
        matrices_(program, memory) {}

  // Requires: the block has started, the warp is not done.
  Pause run(Block& block, Warp& w, i64 slice);
  void start(Block& block, std::uint32_t index);
  [[nodiscard]] i64 threadInstructions() const { return executed_; }
  [[nodiscard]] const std::map<std::string, std::string>& bounds() const { return bounds_; }
  // The first branch, or address, that depends on an arbitrary argument; empty: none does.
  [[nodiscard]] const std::string& dependence() const { return dependence_; }
  // Lines whose addresses do: that they are out of bounds for one value says nothing.
  [[nodiscard]] const std::set<int>& dependentLines() const { return dependentLines_; }

 private:
  enum class Next : unsigned char { Step, Regroup, Pause };
  bool regroup(Block& block, Warp& w);
  Next execute(Block& block, Warp& w, const Step& s, Mask mask);
  void compute(Warp& w, const Step& s, Mask mask);
  bool gather(Warp& w, const Step& s, Mask mask);
  void pack(Warp& w, const Step& s, Mask mask);
  void convert(Warp& w, const Step& s, Mask mask);
  Next branch(Warp& w, const Step& s, Mask mask);
  Next branchTable(Warp& w, const Step& s, Mask mask);
  Next call(Warp& w, const Step& s, Mask mask);
  Next leave(Block& block, Warp& w, Mask mask);
  Next end(Block& block, Warp& w, Mask mask);
  void clusterOp(Block& block, Warp& w, const Step& s, Mask mask);
  bool spins(Warp& w, int head);
  void unsupported(const Warp& w, const Step& s, Mask mask, const std::string& why);
  [[nodiscard]] const Lanes& in(Warp& w, Place p) const {
    return p < 0 ? program_.constants[static_cast<std::size_t>(~p)] : w.lanes(p);
  }
  [[nodiscard]] Mask guarded(Warp& w, const Step& s) const;
  // Lanes of the step's sources that depend on an arbitrary argument.
  [[nodiscard]] Mask dependsOn(const Warp& w, const Step& s) const;
  void spread(Warp& w, const Step& s, Mask mask, Mask depends) const;
  void noteDependence(const Warp& w, const Step& s, const char* what);
  void put(Warp& w, Place p, const Lanes& value, Mask mask) const;

  const Program& program_;
  const Launch& launch_;
  Findings& findings_;
  Order& order_;
  MemoryUnit& memory_;
  Barriers& barriers_;
  Async& async_;
  MatrixAccess matrices_;
  i64 executed_ = 0;
  std::map<std::string, std::string> bounds_;  // by opcode
  std::vector<Lanes> scratch_;
  std::string dependence_;
  std::set<int> dependentLines_;
  struct Watch {
    int head = -1;
    i64 turns = 0;
    u64 state = 0, changes = 0;
  } watch_;
};

}  // namespace tessera::kernel
