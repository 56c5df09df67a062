// narrow: propagates the constraints of a map to the ranges of single variables.
//
//     d0 * 6 + s0 * 3 + s1 in [0, 599], s0 in [0, 1], s1 in [0, 2]       d0 is at most 99
//     s0 mod 2 in [0, 0], s0 mod 3 in [0, 0], s0 in [-21, -2]            s0 mod 6 in [0, 0], s0 in [-18, -6]
//     (d0 * d0) mod 7 in [1, 2], d0 in [0, 9]                            d0 in [1, 8], by trying values from both ends
//
// Everything is in coordinates (map/coordinates.h). Ranges of parameters are unchanged: they belong to the caller.
// Law: the set of points of the box that satisfy the constraints does not change.
#pragma once

#include <vector>

#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

enum class Narrowing : unsigned char { Nothing, Changed, Empty };

// Simplifies the constraints over the box. Changed: the box is smaller, or a constraint was dropped or simplified.
[[nodiscard]] Narrowing narrow(std::vector<Guard>& guards, Environment& box);

}  // namespace tessera
