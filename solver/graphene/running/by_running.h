// By running: executes the program on terms instead of numbers (solver/emulate) and compares the results with the
// specification.
//
//     %C[0,0] arrives as  %C[0,0] + {%A[0,0]*%B[0,0], %A[0,1]*%B[1,0], ...}      a multiset of products
//
// One block represents all blocks if they differ only by a translation: no condition, loop bound, or address in shared
// memory or registers depends on the block, and every coordinate of a global tensor is f(thread, loops) + g(block).
// Otherwise all blocks run, up to a limit.
//
// A program with symbolic sizes cannot be run for all of them. It runs for some small ones (1, 2, 3, 7, 40, 300; all
// equal, then all different). A refutation at one of them counts, and the verdict names the sizes; nothing else
// follows. Values (O8) are not compared there, because views of symbolic size have no list of elements; readSized
// substitutes numbers.
#pragma once

#include <vector>

#include "solver/graphene/check.h"
#include "solver/graphene/z3/sites.h"
#include "solver/prove/obligation.h"

namespace tessera::graphene {

// The obligations that running decides, by specification (sites.specs); empty for leaves and outside wanted kernels. If
// the program cannot be run they are unknown, with the reason. `wrongValues`, by specification: skip O8 of those
// kernels, already refuted.
[[nodiscard]] std::vector<std::vector<ObligationVerdict>> byRunning(const Sites& sites, const std::vector<bool>& wanted,
                                                                    const std::vector<bool>& wrongValues,
                                                                    const CheckOptions& options,
                                                                    const prover::Budget& budget);

}  // namespace tessera::graphene
