// Tile propagation: which tile of an operand a tile of the output reads. A tile is a box of elements: from an offset on, `size` elements
// of each dimension, `stride` apart.
//
//     reshape f32[4,8] -> f32[32], output tiles [8]      of the operand: sizes [1,8], strides [1,1], tile i0 at (i0, 0)
//     slice [5:100:3], output tiles [4]                  sizes [4], strides [3], tile i0 at (i0*12 + 5)
//     reverse f32[12], output tiles [4]                  sizes [4], strides [1], tile i0 at (i0*-4 + 8)
//     reshape f32[12] -> f32[3,4], output tiles [2,2]    none: elements of one dimension of the operand are two runs of 2, 4 apart
//
// Output tile (i0, i1, ..) begins at (i0*T0, i1*T1, ..). Its coordinates d = i*T + t are put into the map, which is simplified; each result
// has to become an offset of tile numbers and run-time values plus multiples of what is ranged over, and those multiples one progression.
// Strides are positive; where a coefficient is negative the offset is moved to the other end.
//
// Laws: what the tile reads lies in the operand's tile, and is all of it where `exact`; else `reads`'s guards say which of it. Where a
// tile is refused, `why` says which dimension and what it is instead. Nothing is refused because XLA refuses it, and no tile is wrong
// because XLA's is: docs/design/hlo.md lists those (mixed signs, a floordiv that is not at its start).
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera::hlo {

struct OperandTile {
  bool is = false;  // a tile
  std::string why;  // it is none
  bool exact = false;
  std::vector<i64> sizes, strides;  // a dimension of the operand each; stride 1 where the size is 1
  Map offsets;                      // (i0, i1, ..){rt..} -> first element, over the tiles that read something of it
  Map reads;  // (i0, i1, ..)[t0, t1, .., s..] -> element, simplified, with the guards that are left
};

// Of a map from the output's coordinates. A Diag: the tile's sizes do not go with the map.
[[nodiscard]] Result<OperandTile> operandTile(const Map& map, const std::vector<i64>& outputTile);
// "sizes [1,8], strides [1,1], from (i0) -> (i0, 0), domain: i0 in [0, 3]"
[[nodiscard]] std::string textOf(const OperandTile& tile);

}  // namespace tessera::hlo
