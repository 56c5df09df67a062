// roundtrip of one map: forward, then backward by the map's own computed inverse.
//
//     roundtrip((4,8):(8,1))      i0 = offset floordiv 8, i1 = offset mod 8          proved both ways
//     roundtrip((4,4):(1,2))      (0,1) and (2,0) both give 2                        no way back from 2
//     roundtrip(S[4:4@lane] + R[2:1@lane])      x = lane floordiv 4                  a replica's place, too, leads home
//
//   by formula   core/map/converse.h gives the way back; g(f(x)) == x for every real x, then f(g(p)) == p for every
//                place p that g accepts (the holes are those it refuses), each by the ladder. Strides, tiles and bits
//                cost microseconds at any size.
//   by pairs     no formula: the injective ladder. Two coordinates on one place refute; a small map is tabulated and
//                read back point by point; a large one has an inverse without a closed form here.
//   replicas     Fan digits are no part of what comes back: two replicas of one element may share a place, two elements
//                may not. Fans are merged first; where replicas still meet, places are enumerated with their element.
//
// Law: proved <=> no place belongs to two real coordinates. A refutation carries both, replayed through Map::at.
#pragma once

#include <functional>
#include <string>

#include "solver/prove/rungs.h"

namespace tessera::prover {

// pairs: the ladder's answer to "no two real points have the same image".
// profile: how coordinates of f are written (Claim::profiles).
[[nodiscard]] Verdict thereAndBack(const Map& f, Rungs& rungs, std::string profile,
                                   const std::function<Answer(const Map&)>& pairs);

}  // namespace tessera::prover
