// Runs each decomposition inside a kernel separately: for every activation (block, values of the enclosing loops) it
// starts from symbolic inputs and compares the final outputs with its function.
//
//     for (m ...) { %tile <- Move<<<#b,#w>>>(%src[m]) { ... } }      m = 0, 1, ...: one run each, all warps at once
//
// A specification for single threads is compared per thread, one for a warp per warp.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "solver/emulate/machine.h"
#include "solver/graphene/check.h"

namespace tessera::graphene {

// Adds the verdicts of all inner specifications of the kernel, by plan.specs. `alike`: those for which block 0
// represents all blocks. Throws OutOfBudget.
void runInner(const Plan& plan, int kernel, const std::set<int>& alike, const CheckOptions& options,
              std::map<int, std::vector<ObligationVerdict>>& out);

}  // namespace tessera::graphene
