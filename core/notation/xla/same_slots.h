// sameSlots: whether two arrays keep every element, in row-major order, in the same slot, including tiles and padding.
//
//     f32[4,128]{1,0:T(8,128)}, f32[512]                         yes: one tile, its rows are contiguous
//     f32[4,128]{1,0:T(8,128)}, f32[4,1,128]{2,1,0:T(8,128)}     no: the second has one tile per row
//
// How: slots are a sum over the dimensions, so both shapes are split where the products of their leading sizes agree,
// and each piece is compared separately: by its strides, or element by element if a tile does not divide its dimension.
#pragma once

#include "core/base/result.h"
#include "core/notation/xla/address.h"

namespace tessera::xla {

// Requires the same number of elements on both sides. A Diag: a piece with partial tiles has more than 2^20 elements
// and the first 2^20 agree.
[[nodiscard]] Result<bool> sameSlots(const Addressing& a, const Addressing& b);

// The same for one dimension each, the others at 0. Requires equal sizes.
[[nodiscard]] Result<bool> sameSlotsAlong(const Addressing& a, std::size_t dimA, const Addressing& b, std::size_t dimB);

}  // namespace tessera::xla
