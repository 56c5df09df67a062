// By inspecting the tree: whether every leaf is an instruction, its operands are aligned, and barriers and collectives
// converge (O1); and whether every access stays within the tensors that the enclosing specifications name (O3).
//
//     if (@t < 16) { sync }       refuted: thread 0 arrives, thread 16 does not
//     %w <- Move(%x) { %y ... }   refuted when %y is the caller's and no view of %w or %x
//
// A condition diverges if two threads of one block (of one warp, for a collective) evaluate it differently at the same
// loop values. The prover decides this as a question about two copies.
#pragma once

#include <string_view>
#include <vector>

#include "solver/graphene/check.h"
#include "solver/graphene/z3/sites.h"
#include "solver/prove/obligation.h"

namespace tessera::graphene {

// O1 of each of sites.specs, in order; a decomposition combines the verdicts of its leaves and barriers. If all are
// proved, core/codegen must also accept the program for the architecture: refuted if a block lacks the shared memory,
// unknown if the emitter does not support something.
[[nodiscard]] std::vector<ObligationVerdict> staticOf(const Sites& sites, std::string_view architecture,
                                                      const prover::Budget& budget);
// O3 of each; unknown if only running can determine the place of an access.
[[nodiscard]] std::vector<ObligationVerdict> frameOf(const Sites& sites);

}  // namespace tessera::graphene
