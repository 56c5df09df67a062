// Same maps, by proof: decides hlo::sameMaps where core cannot decide it itself (core/hlo/compose/same_maps.h).
#pragma once

#include "core/hlo/compose/same_maps.h"

namespace tessera {

// Spends at most `each` seconds per pair and `all` seconds over its lifetime, then returns Unknown. Copies share the
// rest.
[[nodiscard]] hlo::SameMaps sameByProof(double each = 0.25, double all = 5);

}  // namespace tessera
