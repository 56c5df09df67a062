// Same maps: whether two maps name the same elements at every coordinate, so that one of them is enough.
//
//     (d0)[s0, s1] -> (d0, s0, s1)  and  (d0)[s0, s1] -> (d0, s1, s0)                  Yes: the ranges in another order
//     (d0) -> (d0 floordiv 4 * 4 + d0 mod 4)  and  (d0) -> (d0)                        Yes: the difference simplifies to 0
//     (d0) -> (d0), d0 in [0, 9]  and  (d0) -> (d0), d0 in [0, 4]                      No: at 7 only one has an element
//
// A map that holds all that another has is not the same: only equal relations are one.
//
// How, cheapest first: normal forms (ranges in the order of their use; the difference of values over one box with the same guards);
// some coordinates, which can only tell them apart; every coordinate, up to 2^12 points. What none of these decides is Unknown, and for
// the caller's own decision: a prover, where there is one (solver/prove/same_maps.h).
//
// Law: Yes and No are right (tests/hlo: against enumeration); maps with different parameters are No.
#pragma once

#include <functional>

#include "core/map/map.h"

namespace tessera::hlo {

enum class Same : unsigned char { Yes, No, Unknown };
using SameMaps = std::function<Same(const Map& a, const Map& b)>;

// `further` is asked last; empty: nobody.
[[nodiscard]] Same sameMaps(const Map& a, const Map& b, const SameMaps& further = {});

}  // namespace tessera::hlo
