// Cycle: a dependency cycle in a computation. A text may use an instruction before its definition.
//
//     a = negate(b); b = negate(a)      a needs b, b needs a
//
// Law: cycleIn returns nullopt exactly when the instructions have a topological order (operands before users).
#pragma once

#include <optional>

#include "core/hlo/text/module.h"

namespace tessera::hlo {

struct Cycle {
  int instruction = 0, operand = 0;  // both on the cycle
};
// Linear time and memory in the number of operands.
[[nodiscard]] std::optional<Cycle> cycleIn(const Computation& c);

}  // namespace tessera::hlo
