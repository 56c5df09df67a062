// One kernel on terms: what running decides about it and about the decompositions inside of it.
#pragma once

#include <map>
#include <vector>

#include "solver/emulate/machine.h"
#include "solver/graphene/check.h"

namespace tessera::graphene {

// By plan.specs. `values`: O8 of the kernel itself is looked at. Throws OutOfPatience.
[[nodiscard]] std::map<int, std::vector<ObligationVerdict>> runKernel(const Plan& plan, int kernel, bool values,
                                                                      const CheckOptions& options);

}  // namespace tessera::graphene
