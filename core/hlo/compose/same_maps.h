// Same maps: whether two maps name the same elements at every coordinate, so that one of them suffices.
//
//     (d0)[s0, s1] -> (d0, s0, s1)  and  (d0)[s0, s1] -> (d0, s1, s0)                  Yes: the ranges are reordered
//     (d0) -> (d0 floordiv 4 * 4 + d0 mod 4)  and  (d0) -> (d0)                        Yes: the difference is 0
//     (d0) -> (d0), d0 in [0, 9]  and  (d0) -> (d0), d0 in [0, 4]                      No: they differ at 7
//
// A map that contains another is not the same as it: only equal relations are.
//
// How, cheapest first: normal forms (ranges ordered by first use; the difference of values over one box with the same
// guards); sample coordinates, which can only refute; every coordinate, up to 2^12 points. The rest is Unknown and left
// to the caller's prover, if there is one (solver/prove/structure/same_maps.h).
//
// Law: Yes and No are correct (tests/hlo: against enumeration); maps with different parameters are No.
#pragma once

#include <functional>

#include "core/map/map.h"

namespace tessera::hlo {

enum class Same : unsigned char { Yes, No, Unknown };
using SameMaps = std::function<Same(const Map& a, const Map& b)>;

// `further` is tried last; empty: not at all.
[[nodiscard]] Same sameMaps(const Map& a, const Map& b, const SameMaps& further = {});

}  // namespace tessera::hlo
