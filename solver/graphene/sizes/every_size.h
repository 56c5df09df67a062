// For every size: the obligations of a kernel with symbolic sizes, by runs at small sizes and induction.
//
//     gemm      K = 1 to 5 are run, with M = N = 1. M and N: more blocks, shifts of the first. K: from 5 on, one more
//               step does what the one before it did (growth.h, cut.h, spec_growth.h).
//               Proved for every M, N, K.
//
// Sizes are run from the smallest, so a refutation has the smallest sizes that show it, and is a run of the machine.
// If the text gives no law for a size, the kernel's obligations are unknown, with that reason. A few sizes are still
// run to refute it.
//
// Law: a program proved for every size is proved by running at each (tests/check/every_size_test.cpp: 30 sizes each).
#pragma once

#include "solver/graphene/methods.h"

namespace tessera::graphene {

// By specification (sites.specs), for the kernels in `wanted`; as byRunning. Requires: the program has symbolic sizes.
[[nodiscard]] std::vector<std::vector<ObligationVerdict>> forEverySize(const Sites& sites,
                                                                       const std::vector<bool>& wanted,
                                                                       const CheckOptions& options,
                                                                       const prover::Budget& budget);

}  // namespace tessera::graphene
