// rescaled: a range variable restricted to one residue becomes a counter of its values.
//
//     (d0)[s0] -> (s0), s0 in [0, 41], s0 mod 6 in [3, 3]           (d0)[s0] -> (s0 * 6 + 3), s0 in [0, 6]
//     (d0)[s0] -> (s0 floordiv 6), s0 mod 2 in [0, 0], s0 mod 3 in [0, 0]    (s0 * 6) floordiv 6: simplified() gives s0
//
// Dimensions and parameters are unchanged, because others refer to their values.
// Constraints beyond the residue are kept, over the new variable. Law: imageOf is
// the same at every index, and each real point is one real point of the new map.
#pragma once

#include "core/map/map.h"

namespace tessera {

[[nodiscard]] Map rescaled(const Map& map);

}  // namespace tessera
