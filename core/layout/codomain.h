// The codomain of an arrow: the places that surjective and bijective ask for when no number is given.
//
//     f32[3,128]{1,0:T(8,128)}         1024 slots, padding counted: the array declares them
//     S[8:1@lane]                      32 lanes: the hardware has them
//     dim0 = [[1],[2]] -> offset 8     8 offsets: the text says so
//     (4,8):(12,1)                     [0, 44): one more than the largest value
//     Sw<1,2,3> o S[8:1]               [0, 8): the largest value, not the swizzle's period
//
// Law: what declares nothing ends at its largest value, whatever its notation or formula. So equal layouts get one
// verdict, and where one of them declares more, bijective(X, n) asks both for the same places.
#pragma once

#include "core/base/result.h"
#include "core/layout/arrow.h"

namespace tessera {

// The arrow's map with the codomain of each axis as its extent; none where the largest value is not known exactly.
[[nodiscard]] Result<Map> overCodomain(const Arrow& arrow);

}  // namespace tessera
