// Specifications: whether both programs state the same (definitions.h) and `check` proves that they compute it.
//
//     bySpecifications(question, options, {}, verdict)     proved for every size, or the reason why not
//
// If one is proved and the check of the other finds a wrong value, they differ: refuted. Each has one kernel then.
#pragma once

#include "solver/graphene/equal/sides.h"

namespace tessera::graphene {

// Leaves the verdict unknown, with a reason, if it does not decide.
void bySpecifications(const EqualQuestion& question, const CheckOptions& options, const TwoSizes& sizes,
                      EqualVerdict& verdict);

}  // namespace tessera::graphene
