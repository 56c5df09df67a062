// Places: the locations of a claim's layouts and counterexample, in the coordinates of pictures.
//
//     prove equal(((2,2),4):((1,8),2), (4,4):(1,4))        arguments "((2,2),4):((1,8),2)" and "(4,4):(1,4)"
//     maps: digits 2 2 4 and 4 4; modes (4,4) and (4,4); refuted at digits (0,1,0): index 2 in both
//
// A counterexample uses the maps' digits, a picture the layout's top-level modes: ((2,2),4) has 3 digits and 2 modes.
// Inside a mode digits are colex, so the colex index is the same number for both.
#pragma once

#include <string>
#include <vector>

#include "core/claim/claim.h"

namespace tessera {

// The arguments, as typed: {"S", "ldmatrix.x4", "fp16"}.
[[nodiscard]] std::vector<std::string> argumentsOf(const Claim& claim);
// The extents of map k's top-level modes, as its profile groups its Index digits; without one, every digit is a mode.
[[nodiscard]] std::vector<i64> modesOf(const Claim& claim, std::size_t map);
// The counterexample's points in map k: one colex index over its Index digits per point. Maps of an `equal` with
// different shapes are read through their linear index, like the claim.
[[nodiscard]] std::vector<i64> indicesOf(const Claim& claim, const Counterexample& why, std::size_t map);

}  // namespace tessera
