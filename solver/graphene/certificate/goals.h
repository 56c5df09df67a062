// The goals of an obligation of one kernel, each with its refutation (certificate.h).
#pragma once

#include "solver/graphene/certificate/certificate.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {

// Not complete, with the reason, if the kernel is outside the method or a goal has no refutation.
// `hypotheses`: comparisons of sizes that hold.
[[nodiscard]] ObligationCertificate goalsOf(const Z3Kernel& kernel, Obligation obligation,
                                            const std::vector<Comparison>& hypotheses);

}  // namespace tessera::graphene
