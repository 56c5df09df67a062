// Scheduler: which warp of a block runs next, and the control flow of each: steps, masks, loops, barriers of the block.
//
//     if (@t < 32) { sync }     warp 0 waits at `sync`; warp 1 has ended: it is reported
//
// The warps run in turn, each to its next barrier. Conflicting accesses between two barriers are a race in
// any order, so the order (`seed`) affects which witnesses a finding shows, but not whether there is one. With barriers
// that count (mbarrier) warps resume at different times, and a block runs until no warp can proceed. TMA copies land
// when no other progress is possible, or earlier, in an order given by `seed`.
#pragma once

#include <random>

#include "solver/emulate/machine/barriers.h"
#include "solver/emulate/machine/products.h"

namespace tessera::graphene {

// Executes the leaves of a plan, and holds their copies in flight.
class Instructions {
 public:
  virtual ~Instructions() = default;
  virtual void begin(std::size_t warps) = 0;           // a block
  virtual void execute(Warp& w, int leaf) = 0;         // by the lanes w.mask
  virtual void commit(const Warp& w) = 0;              // cp.async.commit_group
  virtual void wait(Warp& w, int pending) = 0;         // for all but the newest `pending` groups
  [[nodiscard]] virtual std::size_t bulkCopies() = 0;  // of TMA, in flight
  virtual void land(std::size_t which) = 0;            // one of those
};

class Scheduler {
 public:
  Scheduler(const Plan& plan, const MachineOptions& options, Findings& findings, Timeline& now,
            std::vector<Cells>& cells, Products& products, Barriers& barriers, Instructions& instructions,
            GuardedValues* guards)
      : plan_(plan),
        options_(options),
        findings_(findings),
        now_(now),
        cells_(cells),
        products_(products),
        barriers_(barriers),
        instructions_(instructions),
        guards_(guards) {}

  // One block of a kernel, or of one decomposition at the given loop values, by plan.loops. `enabled`: the threads that
  // execute it; empty: all.
  void runKernel(const PlanSpec& kernel, i64 block);
  void runSpec(const PlanSpec& spec, i64 block, std::span<const i64> loops, std::span<const char> enabled);
  [[nodiscard]] i64 steps() const { return steps_; }

 private:
  void begin(int kernel, i64 block, std::span<const char> enabled);
  void finish(std::size_t end);
  void proceed(Warp& w, std::size_t end);
  bool control(Warp& w, const PlanStep& step);
  void guard(Warp& w, const std::vector<PlanComparison>& all);
  bool mayExecute(const Warp& w, const PlanStep& step);
  void loop(Warp& w, const PlanStep& step);
  void meet();
  bool resume(std::mt19937_64& random);
  void reportStuck();
  [[nodiscard]] bool othersMayHelp(const Warp& w) const;

  const Plan& plan_;
  const MachineOptions& options_;
  Findings& findings_;
  Timeline& now_;
  std::vector<Cells>& cells_;
  Products& products_;
  Barriers& barriers_;
  Instructions& instructions_;
  GuardedValues* guards_;  // null: the plan has no guards
  std::vector<Warp> warps_;
  i64 steps_ = 0;
};

}  // namespace tessera::graphene
