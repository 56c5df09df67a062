// The goals of an obligation of one kernel, each with its refutation (certificate.h).
#pragma once

#include "solver/graphene/certificate/certificate.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {

// Not complete, with the reason, if the kernel is outside the method or a goal has no refutation.
// `stated`: the program with its assumptions, which are hypotheses of each goal.
[[nodiscard]] ObligationCertificate goalsOf(const Z3Kernel& kernel, Obligation obligation, const Program& stated);

}  // namespace tessera::graphene
