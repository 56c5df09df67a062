// The codomain of an arrow: the places that surjective and bijective cover if no number is given.
//
//     f32[3,128]{1,0:T(8,128)}         1024 slots, padding included: declared by the array
//     S[8:1@lane]                      32 lanes: given by the hardware
//     dim0 = [[1],[2]] -> offset 8     8 offsets: given in the text
//     (4,8):(12,1)                     [0, 44): one more than the largest value
//     Sw<1,2,3> o S[8:1]               [0, 8): the largest value, not the swizzle's period
//
// Law: without a declaration the codomain ends at the largest value, in any notation and formula. So equal layouts get
// the same verdict; if one of them declares more, bijective(X, n) uses the same places for both.
#pragma once

#include "core/base/result.h"
#include "core/layout/arrow.h"

namespace tessera {

// The arrow's map with the codomain of each axis as its extent; none if the largest value is not known exactly.
[[nodiscard]] Result<Map> overCodomain(const Arrow& arrow);

}  // namespace tessera
