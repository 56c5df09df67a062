// The decompositions inside of a kernel, each alone: for every activation (block, values of the loops around it) it is run
// from inputs that are themselves, and what its outputs hold at its end is compared with its function.
//
//     for (m ...) { %tile <- Move<<<#b,#w>>>(%src[m]) { ... } }      m = 0, 1, ...: a run each, all warps at once
//
// A specification of single threads is compared thread by thread, one of a warp warp by warp.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "solver/emulate/machine.h"
#include "solver/graphene/check.h"

namespace tessera::graphene {

// Adds the verdicts of every specification of the kernel but itself, by plan.specs. `alike`: those for which block 0
// speaks for all. Throws OutOfPatience.
void runInner(const Plan& plan, int kernel, const std::set<int>& alike, const CheckOptions& options,
              std::map<int, std::vector<ObligationVerdict>>& out);

}  // namespace tessera::graphene
