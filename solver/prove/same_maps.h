// Same maps, by proof: the decision that hlo::sameMaps asks when core alone cannot tell (core/hlo/same_maps.h).
#pragma once

#include "core/hlo/same_maps.h"

namespace tessera {

// Takes at most `each` seconds a pair and `all` seconds over its life; then Unknown. Copies share what is left.
[[nodiscard]] hlo::SameMaps sameByProof(double each = 0.25, double all = 5);

}  // namespace tessera
