// TMA copies: in flight from their issue until a wait for their barrier's phase.
//
//     %s <- Move<bulk %full><<<, #one>>>(%g)    reads %g at issue; no access to %s before the wait
//
// A copy is ordered before the waits for its phase only, and after what its thread knows. It writes through the
// asynchronous proxy, so earlier ordinary writes need a fence.async before it. Copies land one by one, in an order that
// the scheduler chooses.
//
// Source: PTX ISA, cp.async.bulk.tensor, async proxy, mbarrier (tx-count).
#pragma once

#include <utility>
#include <vector>

#include "solver/emulate/leaf/access_checks.h"
#include "solver/emulate/machine/barriers.h"
#include "solver/emulate/machine/value_store.h"
#include "solver/emulate/numbers.h"
#include "solver/emulate/terms.h"

namespace tessera::graphene {

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

}  // namespace tessera::graphene
