// domainSize: how many real points a map has, exactly.
//
//     (d0, d1) -> (d0), d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 9]                     55
//     (d0) -> (d0), d0 in [0, 10^12], d0 mod 3 in [1, 1]                                  333,333,333,334
//     (d0)[s0] -> (d0), d0 in [0, 9], s0 in [0, 10^15]                                    10 * (10^15 + 1)
//
// How: variables that no constraint brings together are counted on their own and multiplied. In each such part the widest
// variable that every constraint has only in a sum, or in one residue, is counted by its bounds at each point of the others,
// at most 2^22 of them; else point by point. Beyond that the count is refused: never an estimate.
// A parameter has one value; one that a constraint mentions makes the count hang on it, and is refused (symbolsAsDims counts it too).
// Law: the number of digit points with isReal().
#pragma once

#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera {

[[nodiscard]] Result<i64> domainSize(const Map& map);

}  // namespace tessera
