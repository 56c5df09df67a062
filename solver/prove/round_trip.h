// Round trip of one map: forward, then backward by the map's computed inverse.
//
//     roundtrip((4,8):(8,1))      i0 = offset floordiv 8, i1 = offset mod 8          proved in both directions
//     roundtrip((4,4):(1,2))      (0,1) and (2,0) both give 2                        not invertible at 2
//     roundtrip(S[4:4@lane] + R[2:1@lane])      x = lane floordiv 4                  a replica's place maps back, too
//
//   by formula   core/map/inverse/inverse.h gives the inverse g. The ladder proves g(f(x)) == x for every real x, then
//                f(g(p)) == p for every p in g's domain (the other places are holes). Strides, tiles and bits cost
//                microseconds at any size.
//   by table     a small map without a formula is inverted point by point; for a large one no closed form is found
//   replicas     Fan digits need not be recovered: two replicas of one element may share a place, two elements may not.
//                Fans are merged first; where replicas still collide, places are enumerated with their element.
//
// Law: proved <=> no place belongs to two real coordinates. A refutation names both, replayed through Map::at.
#pragma once

#include <functional>
#include <string>

#include "solver/prove/rungs.h"

namespace tessera::prover {

// pairs: the ladder's answer to "no two real points have the same image".
// profile: how coordinates of f are written (Claim::profiles).
[[nodiscard]] Verdict roundTrip(const Map& f, Rungs& rungs, std::string profile,
                                const std::function<Answer(const Map&)>& pairs);

}  // namespace tessera::prover
