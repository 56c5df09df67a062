// exactRange: the smallest and the largest value that an axis takes, not a bound on them.
//
//     (8,40):(40,1)                       [0, 319]
//     Sw<3,3,3> o (8,40):(40,1)           [0, 319]; the swizzle's period is 512, so an interval says [0, 511]
//     x xor (x floordiv 4), x in [0, 6]   [0, 7]: 6 goes to 7, and nothing goes to 6
//
// Law: both ends are values of real points (Index and Fan), and no real point has a value outside.
// How: strides, also of cut digits; bit matrices; a bit matrix of a run of integers; intervals whose ends two corners
// of the box reach; else up to 2^20 points are tried. nullopt: none of these applies, or the map has symbolic sizes.
// Why: the codomain of surjective ends at the largest value. With a bound there, equal maps would get different
// verdicts.
#pragma once

#include <optional>

#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

[[nodiscard]] std::optional<Range> exactRange(const Map& map, std::size_t axis = 0);

}  // namespace tessera
