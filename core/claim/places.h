// Places: where a claim's layouts and its counterexample are, as pictures name them.
//
//     prove equal(((2,2),4):((1,8),2), (4,4):(1,4))        arguments "((2,2),4):((1,8),2)" and "(4,4):(1,4)"
//     maps: digits 2 2 4 and 4 4; modes (4,4) and (4,4); refuted at digits (0,1,0): index 2 in both
//
// A counterexample counts digits of the maps, a picture the top-level modes of the layout: ((2,2),4) has 3 digits and 2
// modes. Inside a mode digits are colex, so the colex index is the same number in both.
#pragma once

#include <string>
#include <vector>

#include "core/claim/claim.h"

namespace tessera {

// What is asked about, as typed: {"S", "ldmatrix.x4", "fp16"}.
[[nodiscard]] std::vector<std::string> argumentsOf(const Claim& claim);
// The extents of map k's top-level modes, as its profile groups its Index digits; without one every digit is a mode.
[[nodiscard]] std::vector<i64> modesOf(const Claim& claim, std::size_t map);
// Where the counterexample is in map k: the colex index over its Index digits, a number a point. Maps of an `equal` whose
// shapes differ are read through their linear index, as the claim was.
[[nodiscard]] std::vector<i64> indicesOf(const Claim& claim, const Counterexample& why, std::size_t map);

}  // namespace tessera
