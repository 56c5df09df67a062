// narrowed: the constraints of a map, asked what they say about single variables.
//
//     d0 * 6 + s0 * 3 + s1 in [0, 599], s0 in [0, 1], s1 in [0, 2]       d0 is at most 99
//     s0 mod 2 in [0, 0], s0 mod 3 in [0, 0], s0 in [-21, -2]            s0 mod 6 in [0, 0], s0 in [-18, -6]
//     (d0 * d0) mod 7 in [1, 2], d0 in [0, 9]                            d0 in [1, 8], found by trying values from both ends
//
// Everything is in coordinates (map/coordinates.h). Ranges of parameters stay: they belong to whoever states them.
// Law: the points of the box that meet the constraints are the same before and after.
#pragma once

#include <vector>

#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

enum class Narrowing : unsigned char { Nothing, Changed, Empty };

// The constraints are simplified over the box. Changed: the box is smaller, or a constraint is gone or simpler.
[[nodiscard]] Narrowing narrow(std::vector<Guard>& guards, Environment& box);

}  // namespace tessera
