// Runs one kernel on terms: the verdicts of running for it and the decompositions inside it.
#pragma once

#include <map>
#include <vector>

#include "solver/emulate/machine.h"
#include "solver/graphene/check.h"

namespace tessera::graphene {

// By plan.specs. `values`: also decide O8 of the kernel. Throws OutOfBudget.
[[nodiscard]] std::map<int, std::vector<ObligationVerdict>> runKernel(const Plan& plan, int kernel, bool values,
                                                                      const CheckOptions& options);

}  // namespace tessera::graphene
