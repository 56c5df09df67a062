// By Z3: the obligations of one kernel as questions about all its instances at once.
//
//     O2 bounds        one copy: 0 <= coordinate < extent
//     O4 coverage      a witness for each element, or no element without an instance
//     O5 uniqueness    two copies write one element only when they are the same instance
//     O6 races         two copies in one phase at one place are one thread
//     O7 definedness   the writer that the digits of the place name is there, and before the reader
//     O8 value         a copy for each hop back: what is read was written by ..., up to the inputs
//
//     transpose: reader (t, block) at %s[x,y], writer (w, same block) with %s coordinates equal: its input coordinate is the
//     one that the output asks for
//
// Sizes may be symbolic. Places are compared by logical coordinates, each an integer linear in the digits; a storage whose
// layout is not injective (a broadcast) is compared by address.
//
// Requires the static obligations to hold. What exchanges values between lanes (ldmatrix, mma, shfl) and asynchronous copies are
// left to `running`: unknown, with that reason.
#pragma once

#include <vector>

#include "solver/graphene/check.h"
#include "solver/graphene/sites.h"
#include "solver/prove/obligation.h"

namespace tessera::graphene {

// O2 and O4 to O8 of the kernel sites.specs[kernel]. What is refuted in `known` is not asked again, and stays.
[[nodiscard]] std::vector<ObligationVerdict> byZ3(const Sites& sites, int kernel,
                                                  const std::vector<ObligationVerdict>& known,
                                                  const prover::Budget& budget);

}  // namespace tessera::graphene
