// sameSlots: whether two arrays keep every element, counted row-major, in the same slot. Tiles and padding included.
//
//     f32[4,128]{1,0:T(8,128)}, f32[512]                         yes: one tile, its rows lie one after the other
//     f32[4,128]{1,0:T(8,128)}, f32[4,1,128]{2,1,0:T(8,128)}     no: the second gives each row a tile of its own
//
// How: slots are a sum over the dimensions, so both shapes are cut where the products of their leading sizes meet, and
// each piece is compared by itself: by its strides, or element by element where a tile does not divide what it cuts.
#pragma once

#include "core/base/result.h"
#include "core/notation/xla/address.h"

namespace tessera::xla {

// Requires as many elements on both sides. A Diag where a piece with partial tiles has more than 2^20 elements and the
// first 2^20 agree.
[[nodiscard]] Result<bool> sameSlots(const Addressing& a, const Addressing& b);

// The same of one dimension each, the others at 0. Requires sizes that agree.
[[nodiscard]] Result<bool> sameSlotsAlong(const Addressing& a, std::size_t dimA, const Addressing& b, std::size_t dimB);

}  // namespace tessera::xla
