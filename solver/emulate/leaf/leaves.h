// Leaves: executes one instruction of a warp: groups the lanes, gathers the operands, applies the atom's function,
// scatters the results.
//
//     leaves.execute(w, leaf);      %s <- Move(%g) as cp.async: the values are in flight
//     leaves.commit(w);             they are in group 0
//     leaves.wait(w, 0);            they are in %s
#pragma once

#include "solver/emulate/error/enclosures.h"
#include "solver/emulate/guards/guarded_values.h"
#include "solver/emulate/leaf/access_checks.h"
#include "solver/emulate/machine/scheduler.h"
#include "solver/emulate/machine/value_store.h"
#include "solver/emulate/numbers.h"
#include "solver/emulate/terms.h"

namespace tessera::graphene {

// Arithmetic: the function of a leaf's atom on the values of its operands, over a domain.
//
//     values.a = {1, 2}, values.b = {3, 4}      add.f32: Binary, out[i] = a[terms[i].a] + b[terms[i].b]
//     arithmetic.compute(leaf, order, values)   values.out = {4, 6}
//     arithmetic.convert(leaf, values.out)      rounded to the element type of the output

template <class Domain>
class Arithmetic {
 public:
  using Value = typename Domain::Value;
  struct Values {  // slots of the lanes, by position; `out` holds the old values of an accumulator
    std::vector<Value> out, a, b;
  };

  Arithmetic(const Plan& plan, Domain& domain);
  void compute(int leaf, const LaneOrder& order, Values& values);
  void convert(int leaf, std::vector<Value>& values);

 private:
  struct Row {              // of a leaf
    int operation = 0;      // number in the domain
    NumberFormat from, to;  // of the value copied or computed: fp64 if a floating operand takes part; of the output
    bool integers = false;  // all operands are integers, so integer arithmetic applies
    bool converts = false;  // the output has another type than the input, or is computed
    int conversion = -1;    // number in the domain
    LeafTypes types = {};   // for enclosures
  };
  // The lists of factors of a leaf's outputs, each once: an mma's 128 outputs have 16 of A and 8 of B.
  struct Factors {
    std::vector<std::vector<int>> lists;  // of slots
    std::vector<int> list;                // by output
  };
  [[nodiscard]] Row rowOf(const PlanLeaf& leaf);
  [[nodiscard]] static Factors factorsOf(const PlanLeaf& leaf, int AtomTerm::*slot);
  void multiplyAdd(int leaf, std::size_t first, std::size_t outs, Value* out, const Value* a, const Value* b);

  const Plan& plan_;
  Domain& domain_;
  std::vector<Row> rows_;
  std::vector<std::optional<std::pair<Factors, Factors>>> factors_;  // on terms; by leaf, once it has been executed
};

extern template class Arithmetic<Numbers>;
extern template class Arithmetic<Terms>;
extern template class Arithmetic<Enclosures>;

// TMA copies: in flight from their issue until a wait for their barrier's phase.
//
//     %s <- Move<bulk %full><<<, #one>>>(%g)    reads %g at issue; no access to %s before the wait
//
// A copy is ordered before the waits for its phase only, and after what its thread knows. It writes through the
// asynchronous proxy, so earlier ordinary writes need a fence.async before it. Copies land one by one, in an order that
// the scheduler chooses.
//
// Source: PTX ISA, cp.async.bulk.tensor, async proxy, mbarrier (tx-count).

template <class Domain>
class BulkCopies {
 public:
  using Value = typename Domain::Value;

  BulkCopies(const Plan& plan, Findings& findings, Timeline& now, Barriers& barriers, ValueStore<Domain>& store)
      : plan_(plan), findings_(findings), now_(now), barriers_(barriers), store_(store) {}
  void begin() { copies_.clear(); }
  // Each lane copies its slots of `values` to the operand.
  void issue(const LeafAccess& at, const LaneOrder& order, AccessChecks& checks, const std::vector<Value>& values);
  [[nodiscard]] std::size_t inFlight() const { return copies_.size(); }
  void land(std::size_t which);

 private:
  struct Copy {
    Barriers::Arrival arrival;
    int leaf = 0;
    std::uint32_t instance = 1;
    std::vector<std::pair<i64, Value>> places;
  };
  const Plan& plan_;
  Findings& findings_;
  Timeline& now_;
  Barriers& barriers_;
  ValueStore<Domain>& store_;
  std::vector<Copy> copies_;
};

extern template class BulkCopies<Numbers>;
extern template class BulkCopies<Terms>;
extern template class BulkCopies<Enclosures>;

template <class Domain>
class Leaves : public Instructions {
 public:
  using Value = typename Domain::Value;

  Leaves(const Plan& plan, Domain& domain, const MachineOptions& options, Findings& findings, Timeline& now,
         ValueStore<Domain>& store, Products& products, Barriers& barriers)
      : plan_(plan),
        options_(options),
        findings_(findings),
        now_(now),
        store_(store),
        products_(products),
        groups_(now, store.cells()),
        checks_(plan, findings, now, products, groups_, options.observer),
        arithmetic_(plan, domain),
        bulk_(plan, findings, now, barriers, store),
        counts_(plan.leaves.size()) {}

  void begin(std::size_t warps) override;
  void execute(Warp& w, int leaf) override;
  void commit(const Warp& w) override;
  void wait(Warp& w, int pending) override;
  [[nodiscard]] std::size_t bulkCopies() override { return bulk_.inFlight(); }
  void land(std::size_t which) override { bulk_.land(which); }

  [[nodiscard]] const std::vector<LeafCounts>& counts() const { return counts_; }

 private:
  struct Flight {  // cp.async of one lane
    int leaf = 0, lane = 0;
    i64 group = -1;                             // -1: not committed
    std::vector<std::pair<i64, Value>> places;  // index into the storage
    Boxes::Id box = Boxes::kAll;                // the sizes at which it was issued
  };

  [[nodiscard]] LeafAccess access(Warp& w, int leaf, int operand) {
    return accessOf(plan_, findings_, store_.cells(), w, leaf, operand, order_);
  }
  [[nodiscard]] Value read(const LeafAccess& at, const Spot& spot);
  // `box`: with guards, the sizes at which it is written.
  void write(const Warp& w, int root, i64 place, Value value, std::uint32_t instance, Boxes::Id box);
  void gather(const LeafAccess& at, std::vector<Value>& out);
  void gatherMatrix(const LeafAccess& at, std::vector<Value>& out);
  void scatter(const LeafAccess& at, const std::vector<Value>& values);
  void tally(const LeafAccess& at, const AtlasAccess& how);

  const Plan& plan_;
  const MachineOptions& options_;
  Findings& findings_;
  Timeline& now_;
  ValueStore<Domain>& store_;
  Products& products_;
  CopyGroups groups_;
  AccessChecks checks_;
  Arithmetic<Domain> arithmetic_;
  BulkCopies<Domain> bulk_;
  std::vector<std::vector<Flight>> flights_;  // by warp
  LaneOrder order_;                           // of the instruction, and its operands
  typename Arithmetic<Domain>::Values values_;
  std::vector<LeafCounts> counts_;
};

extern template class Leaves<Numbers>;
extern template class Leaves<Terms>;
extern template class Leaves<Enclosures>;

}  // namespace tessera::graphene
