// domainSize: the exact number of real points of a map.
//
//     (d0, d1) -> (d0), d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 9]                     55
//     (d0) -> (d0), d0 in [0, 10^12], d0 mod 3 in [1, 1]                                  333,333,333,334
//     (d0)[s0] -> (d0), d0 in [0, 9], s0 in [0, 10^15]                                    10 * (10^15 + 1)
//
// How: groups of variables that share no constraint are counted separately and multiplied. In each group, the variable
// with the largest extent that occurs in every constraint only in a sum, or in one residue, is counted by its bounds at
// each point of the others, at most 2^22 points; otherwise point by point. Larger counts are refused, never estimated.
// Refused: parameters in constraints, because the count depends on them (symbolsAsDims makes them countable).
// Law: the number of digit points with isReal().
#pragma once

#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera {

[[nodiscard]] Result<i64> domainSize(const Map& map);

// The points of some digits alone, times `by`, without constraints; nullopt if they exceed 2^63-1.
[[nodiscard]] std::optional<i64> pointsOf(const Map& map, const std::vector<int>& digits, i64 by = 1);
// Sets those digits of `point` to their point number n, the last in the list fastest.
void spread(const Map& map, const std::vector<int>& digits, i64 n, std::vector<i64>& point);

}  // namespace tessera
