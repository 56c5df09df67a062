// Step values: numbers in the body of a while as functions of the trip, for the places that a step reads and writes.
//
//     i = get-tuple-element(state), index=0        starts at 0, becomes i + 1        t
//     r = subtract(constant(3), i)                                                   3 - t
//     select(compare(i, 0), i + 4, i), LT          the range decides                 t
//
// Followed through tuples, fusions and calls. A value that is carried unchanged from a constant is one, too.
//
// Laws: a value that is given is the one in every trip t, 0 <= t < trips, and no operation on the way leaves its type's
// range. nullopt: it is not of this form, or not found within a bound of work. Internal to core/hlo.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "core/hlo/text/module.h"

namespace tessera::hlo {

struct StepValue {
  i64 slope = 0, offset = 0;  // slope * t + offset
  [[nodiscard]] i64 at(i64 trip) const { return slope * trip + offset; }
  bool operator==(const StepValue&) const = default;
};

// The instruction that a value comes from, and the calls around it, innermost last.
struct HeldValue {
  std::vector<Where> calls;  // from the loop's body or condition inwards
  Where at;
  int leaf = 0;
};

class StepValues {
 public:
  // The loop's initial values are those of its operand: constants at the call, also of the only caller.
  StepValues(const Module& module, Where loop);

  [[nodiscard]] const std::optional<i64>& trips() const { return trips_; }
  // The value held by the last instruction of the path: calls from the body inwards, then it.
  [[nodiscard]] std::optional<StepValue> of(std::span<const Where> path) const;
  [[nodiscard]] std::optional<StepValue> of(const HeldValue& held) const;
  // What a leaf of the body's result is, through tuples, calls and copies.
  [[nodiscard]] HeldValue resultOf(int leaf) const;
  // What an operand of such an instruction is.
  [[nodiscard]] HeldValue operandOf(const HeldValue& held, std::size_t operand) const;
  // The state's leaf that it is; nullopt: it is something else.
  [[nodiscard]] std::optional<int> stateLeaf(const HeldValue& held) const;

 private:
  struct Asking;
  [[nodiscard]] HeldValue forwarded(HeldValue held) const;
  [[nodiscard]] std::optional<StepValue> value(const HeldValue& held, Asking& asking) const;
  [[nodiscard]] std::optional<StepValue> operation(const HeldValue& held, Asking& asking) const;
  [[nodiscard]] std::optional<i64> decided(const HeldValue& held, Asking& asking) const;
  [[nodiscard]] std::optional<i64> initial(int leaf) const;
  void findCounters(int leaves);
  void findTrips();

  const Module& module_;
  Where loop_;
  int body_ = -1, condition_ = -1;
  std::map<int, StepValue> counters_;  // by leaf; also those carried unchanged
  std::optional<i64> trips_;
};

}  // namespace tessera::hlo
