// By looking at the tree: is every leaf an instruction, are its operands aligned, do barriers and collectives converge (O1); and
// does every access stay with what the specifications around it name (O3).
//
//     if (@t < 16) { sync }       refuted: thread 0 arrives, thread 16 does not
//     %w <- Move(%x) { %y ... }   refuted when %y is the caller's and no view of %w or %x
//
// A condition diverges when two threads of one block (of one warp, for a collective), at the same loop values, answer it
// differently: that is asked of the prover as a question about two copies.
#pragma once

#include <string_view>
#include <vector>

#include "solver/graphene/check.h"
#include "solver/graphene/sites.h"
#include "solver/prove/obligation.h"

namespace tessera::graphene {

// O1 of each of sites.specs, in their order; of a decomposition what its leaves and barriers say.
// Where all of that holds, core/codegen must accept the program for the architecture too: refuted where a block has not the
// shared memory, unknown where the emitter has no text for something.
[[nodiscard]] std::vector<ObligationVerdict> staticOf(const Sites& sites, std::string_view architecture,
                                                      const prover::Budget& budget);
// O3 of each; unknown where an access is to a part that only running can place.
[[nodiscard]] std::vector<ObligationVerdict> frameOf(const Sites& sites);

}  // namespace tessera::graphene
