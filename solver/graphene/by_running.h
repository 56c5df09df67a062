// By running: the program executed on terms instead of numbers (solver/emulate), and what arrives compared with what the
// specification says.
//
//     %C[0,0] arrives as  %C[0,0] + {%A[0,0]*%B[0,0], %A[0,1]*%B[1,0], ...}      a multiset of products
//
// One block speaks for all of them when they differ by a translation only: no condition, no loop bound, no address of shared memory
// or registers depends on the block, and every coordinate of a global tensor is f(thread, loops) + g(block). Else all blocks
// are run, up to a limit.
//
// A program whose sizes are symbols cannot be run for all of them. It is run for some small ones (1, 2, 3, 7, 40, 300; all alike, then
// each another): what one of them refutes is refuted, and the verdict names it; nothing else is learnt. Values (O8) are not compared there,
// for views of symbolic size have no elements to list; readSized makes numbers of them.
#pragma once

#include <vector>

#include "solver/graphene/check.h"
#include "solver/graphene/sites.h"
#include "solver/prove/obligation.h"

namespace tessera::graphene {

// By specification (sites.specs) the obligations that running decides; empty for leaves and for what is
// not in a wanted kernel. A program that cannot be run has
// unknowns, with the reason. `wrongValues`: by specification; O8 of those kernels is refuted already, and not looked at.
[[nodiscard]] std::vector<std::vector<ObligationVerdict>> byRunning(const Sites& sites, const std::vector<bool>& wanted,
                                                                    const std::vector<bool>& wrongValues,
                                                                    const CheckOptions& options,
                                                                    const prover::Budget& budget);

}  // namespace tessera::graphene
