// By Z3: the obligations of one kernel, each as a question about all its instances at once.
//
//     O2 bounds        one copy: 0 <= coordinate < extent
//     O4 coverage      a witness for each element; or an element without an instance
//     O5 uniqueness    two copies write the same element only if they are the same instance
//     O6 races         two copies at one place in one phase are the same thread
//     O7 definedness   the writer determined by the digits of the place exists and precedes the reader
//     O8 value         one copy per hop back to the inputs: the value read was written by ...
//
//     transpose: reader (t, block) at %s[x,y], writer (w, same block) with equal %s coordinates: its input coordinate
//     is the one that the output requires
//
// Sizes may be symbolic. Places are compared by logical coordinates, each linear in the digits over the integers; a
// storage with a non-injective layout (a broadcast) is compared by address.
//
// Requires the static obligations to hold. Not supported: exchange of values between lanes (ldmatrix, mma, shfl) and
// asynchronous copies. These are left to `running`: unknown, with that reason.
#pragma once

#include <vector>

#include "solver/graphene/check.h"
#include "solver/graphene/z3/sites.h"
#include "solver/prove/obligation.h"

namespace tessera::graphene {

// O2 and O4 to O8 of the kernel sites.specs[kernel]. Refutations in `known` are kept and not asked again.
[[nodiscard]] std::vector<ObligationVerdict> byZ3(const Sites& sites, int kernel,
                                                  const std::vector<ObligationVerdict>& known,
                                                  const prover::Budget& budget);

}  // namespace tessera::graphene
