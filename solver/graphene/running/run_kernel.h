// Runs one kernel on terms: the verdicts of running for it and the decompositions inside it.
#pragma once

#include <set>

#include "solver/emulate/machine.h"
#include "solver/graphene/check.h"

namespace tessera::graphene {

// By plan.specs. `values`: also decide O8 of the kernel. Throws OutOfBudget.
[[nodiscard]] std::map<int, std::vector<ObligationVerdict>> runKernel(const Plan& plan, int kernel, bool values,
                                                                      const CheckOptions& options);

// Runs each decomposition inside a kernel separately: for every activation (block, values of the enclosing loops) it
// starts from symbolic inputs and compares the final outputs with its function.
//
//     for (m ...) { %tile <- Move<<<#b,#w>>>(%src[m]) { ... } }      m = 0, 1, ...: one run each, all warps at once
//
// A specification for single threads is compared per thread, one for a warp per warp.

// Adds the verdicts of all inner specifications of the kernel, by plan.specs. `alike`: those for which block 0
// represents all blocks. Throws OutOfBudget.
void runInner(const Plan& plan, int kernel, const std::set<int>& alike, const CheckOptions& options,
              std::map<int, std::vector<ObligationVerdict>>& out);

}  // namespace tessera::graphene
