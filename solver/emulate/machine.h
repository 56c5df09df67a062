// Machine: runs a plan on the CPU, over numbers, terms or enclosures, with warps in lockstep and real barriers.
//
//     Numbers numbers;                       Terms terms;
//     Machine machine(plan, numbers);        Machine machine(plan, terms);
//     machine.fill(0, ...);                  // optional on terms: an unfilled %A[3,5] is the input term %A[3,5]
//     machine.run();                         // every kernel, block after block
//     machine.value(root, block, thread, address)
//
// runSpec(s, block, loops) runs a single decomposition, from its Enter to its Exit, at the given loop values. set()
// must provide everything that it reads. This is how each decomposition is compared with its own function.
//
// Findings: O1 divergent barriers and collectives, threads outside their group, misaligned vectors; O2 coordinates
// beyond the extents; O3 tensors that an enclosing specification does not name, outputs read before they are written;
// O4 and O5 of kernels; O6 races, including those with copies in flight; O7 reads of unwritten values. One finding is
// kept per pair of statements; repetitions are counted. The machine then continues: invalid writes are dropped, and
// missing values are undefined.
//
// The machine only connects its parts (README.md): the scheduler runs the warps, the leaves compute, the store holds
// the values, and barriers, products and checks decide which accesses are ordered.
//
// Law: without findings the results do not depend on `seed`. Not checked here: O8, which compares values
// (solver/graphene); O3 within a tensor.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include "core/base/mapped.h"
#include "solver/emulate/leaf/leaves.h"

namespace tessera::graphene {

template <class Domain>
class Machine {
 public:
  using Value = typename Domain::Value;

  // Both must outlive the machine.
  Machine(const Plan& plan, Domain& domain, MachineOptions options = {})
      : plan_(plan),
        options_(options),
        findings_(plan, now_, options_),
        store_(plan, domain),
        products_(plan, findings_, now_, store_.cells()),
        barriers_(plan, findings_, now_, options_.observer),
        guards_(guardsOf(plan, domain)),
        leaves_(plan, domain, options_, findings_, now_, store_, products_, barriers_),
        scheduler_(plan, options_, findings_, now_, store_.cells(), products_, barriers_, leaves_, guards()) {}
  Machine(const Machine&) = delete;  // its parts refer to each other
  Machine& operator=(const Machine&) = delete;

  // The initial value of an operand's place. Global: block and thread are 0; shared: thread is 0.
  using Fill = std::function<Value(i64 block, i64 thread, i64 address)>;
  void fill(int root, const Fill& value) { store_.fill(root, value); }
  void set(int root, i64 block, i64 thread, i64 address, Value value) {
    store_.set(root, block, thread, address, value);
  }
  // nullopt if it was never written.
  [[nodiscard]] std::optional<Value> value(int root, i64 block, i64 thread, i64 address) const {
    return store_.value(root, block, thread, address);
  }

  void run() {
    for (const int k : plan_.kernels)
      if (!findings_.halted()) runKernel(k);
  }
  // Runs one kernel, an index into plan.specs, or one of its blocks. Coverage is checked after all blocks.
  void runKernel(int kernel) {
    beginKernel(store_.cells());
    std::vector<i64> blocks(static_cast<std::size_t>(plan_.specs[kernel].blocks));
    std::iota(blocks.begin(), blocks.end(), i64{0});
    if (options_.seed != 0) std::shuffle(blocks.begin(), blocks.end(), std::mt19937_64(options_.seed));
    for (const i64 b : blocks)
      if (!findings_.halted()) runBlock(kernel, b);
    checkOutputs(kernel);
  }
  // Checks the coverage of a kernel, all of whose blocks have run.
  void checkOutputs(int kernel) {
    if (!findings_.halted()) checkCoverage(plan_, kernel, store_.cells(), findings_);
  }
  void runBlock(int kernel, i64 block) { scheduler_.runKernel(plan_.specs[kernel], block); }
  // Runs one decomposition. `enabled`: the threads that execute it; empty: the whole block. `loops`: by plan.loops.
  void runSpec(int spec, i64 block, std::span<const i64> loops, std::span<const char> enabled = {}) {
    scheduler_.runSpec(plan_.specs[spec], block, loops, enabled);
  }
  // Restores the initial state of temporaries and operands.
  void reset() {
    store_.reset();
    if (guards_) guards_->values.clear();
  }

  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_.kept(); }
  [[nodiscard]] i64 findingCount() const { return findings_.count(); }  // including those not kept
  [[nodiscard]] const std::vector<LeafCounts>& counts() const { return leaves_.counts(); }
  [[nodiscard]] i64 steps() const { return scheduler_.steps(); }
  [[nodiscard]] const Clocks& clocks() const { return now_.clocks; }
  // Null: the plan has no guards, or the values are not terms.
  [[nodiscard]] GuardedValues* guards() const { return guards_ ? &guards_->values : nullptr; }
  // Why it stopped early; empty: it did not.
  [[nodiscard]] const std::string& stopped() const { return findings_.stopped(); }

  // Evaluates a column for one thread.
  [[nodiscard]] i64 evaluate(int column, i64 block, i64 thread, std::span<const i64> loops) const {
    return valueOf(plan_, column, block, thread, loops);
  }

 private:
  struct Guards {
    Guards(const Plan& plan, Terms& terms)
        : boxes(mapped<i64>(plan.guards, [](const PlanGuard& g) { return g.most; })), values(plan, terms, boxes) {}
    Boxes boxes;
    GuardedValues values;
  };
  static std::unique_ptr<Guards> guardsOf(const Plan& plan, Domain& domain) {
    if constexpr (std::is_same_v<Domain, Terms>)
      if (!plan.guards.empty()) return std::make_unique<Guards>(plan, domain);
    return nullptr;
  }

  const Plan& plan_;
  const MachineOptions options_;
  Timeline now_;
  Findings findings_;
  ValueStore<Domain> store_;
  Products products_;
  Barriers barriers_;
  std::unique_ptr<Guards> guards_;
  Leaves<Domain> leaves_;
  Scheduler scheduler_;
};

}  // namespace tessera::graphene
