// Tile propagation: the tile of an operand that a tile of the output reads. A tile is a box of elements: per dimension,
// `size` elements from an offset on, `stride` apart.
//
//     reshape f32[4,8] -> f32[32], output tiles [8]      of the operand: sizes [1,8], strides [1,1], tile i0 at (i0, 0)
//     slice [5:100:3], output tiles [4]                  sizes [4], strides [3], tile i0 at (i0*12 + 5)
//     reverse f32[12], output tiles [4]                  sizes [4], strides [1], tile i0 at (i0*-4 + 8)
//     reshape f32[12] -> f32[3,4], output tiles [2,2]    none: two runs of 2 along the operand's dimension, 4 apart
//
// Output tile (i0, i1, ..) begins at (i0*T0, i1*T1, ..). Its coordinates d = i*T + t are substituted into the map,
// which is then simplified. Each result must be an offset over tile numbers and run-time values, plus multiples of the
// ranged variables that form one progression. Strides are positive; a negative coefficient moves the offset to the
// other end.
//
// Laws: what the tile reads is inside the operand's tile, and all of it if `exact`; otherwise the guards of `reads`
// select the elements. If there is no tile, `why` names the dimension and the reason. The results follow neither XLA's
// refusals nor its errors, which docs/design/hlo.md lists (mixed signs, a floordiv that is not at its start).
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera::hlo {

struct OperandTile {
  bool is = false;       // whether it is a tile
  std::string why = {};  // why it is not
  bool exact = false;
  std::vector<i64> sizes = {}, strides = {};  // per dimension of the operand; stride 1 where the size is 1
  Map offsets = {};                           // (i0, i1, ..){rt..} -> first element, over the tiles that read any
  Map reads = {};  // (i0, i1, ..)[t0, t1, .., s..] -> element, simplified, with the remaining guards
};

// For a map over the output's coordinates. A Diag: the tile's sizes do not match the map.
[[nodiscard]] Result<OperandTile> operandTile(const Map& map, const std::vector<i64>& outputTile);
// "sizes [1,8], strides [1,1], from (i0) -> (i0, 0), domain: i0 in [0, 3]"
[[nodiscard]] std::string textOf(const OperandTile& tile);

}  // namespace tessera::hlo
