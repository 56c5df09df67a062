// Leaves: executes one instruction of a warp: groups the lanes, gathers the operands, applies the atom's function,
// scatters the results.
//
//     leaves.execute(w, leaf);      %s <- Move(%g) as cp.async: the values are in flight
//     leaves.commit(w);             they are in group 0
//     leaves.wait(w, 0);            they are in %s
#pragma once

#include <utility>
#include <vector>

#include "solver/emulate/leaf/arithmetic.h"
#include "solver/emulate/leaf/bulk_copies.h"
#include "solver/emulate/machine/scheduler.h"

namespace tessera::graphene {

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
  };

  [[nodiscard]] LeafAccess access(Warp& w, int leaf, int operand) {
    return accessOf(plan_, findings_, store_.cells(), w, leaf, operand, order_);
  }
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

}  // namespace tessera::graphene
