// exactRange: the smallest and largest value of an axis, exactly.
//
//     (8,40):(40,1)                       [0, 319]
//     Sw<3,3,3> o (8,40):(40,1)           [0, 319]; the swizzle's period is 512, so interval analysis gives [0, 511]
//     x xor (x floordiv 4), x in [0, 6]   [0, 7]: 6 goes to 7, and nothing goes to 6
//
// Law: both ends are values of real points (Index and Fan), and no real point has a value outside.
// How: strides, also of split digits; bit matrices; a bit matrix over a run of
// integers; intervals whose ends are attained at two corners of the box; else
// enumeration of up to 2^20 points. nullopt: none of these applies, or symbolic sizes.
// Why: surjective's codomain ends at the largest value. With an
// upper bound instead, equal maps would get different verdicts.
#pragma once

#include <optional>

#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

[[nodiscard]] std::optional<Range> exactRange(const Map& map, std::size_t axis = 0);

}  // namespace tessera
