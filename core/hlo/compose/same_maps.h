// Same maps: whether two maps name the same elements at every coordinate, so that one suffices.
//
//     (d0)[s0, s1] -> (d0, s0, s1)  and  (d0)[s0, s1] -> (d0, s1, s0)                  Yes: the ranges are permuted
//     (d0) -> (d0 floordiv 4 * 4 + d0 mod 4)  and  (d0) -> (d0)                        Yes: the difference is 0
//     (d0) -> (d0), d0 in [0, 9]  and  (d0) -> (d0), d0 in [0, 4]                      No: they differ at 7
//
// A map that contains another is not the same map: only equal relations are.
//
// How, cheapest first: normal forms (ranges ordered by first use; differences of values, if boxes and guards are
// equal); sample coordinates, which can only refute; every coordinate, up to 2^12 points. The rest is Unknown, unless
// the caller's prover decides it (solver/prove/structure/same_maps.h).
//
// Law: Yes and No are correct (tests/hlo: against enumeration); maps with different parameters are No.
#pragma once

#include <functional>

#include "core/map/map.h"

namespace tessera::hlo {

enum class Same : unsigned char { Yes, No, Unknown };
using SameMaps = std::function<Same(const Map& a, const Map& b)>;

// `further`: a prover to try last; empty: none.
[[nodiscard]] Same sameMaps(const Map& a, const Map& b, const SameMaps& further = {});

}  // namespace tessera::hlo
