// Terms: both sides run on the same terms, and every element of their common outputs is compared
// (solver/emulate/equality/same_value.h): proved, or a difference of terms that a run on numbers shows, or unknown.
#pragma once

#include "solver/graphene/equal/sides.h"

namespace tessera::graphene {

// Leaves the verdict unknown, with a reason, if it does not decide.
void byTerms(const Sides& sides, EqualVerdict& verdict);

}  // namespace tessera::graphene
