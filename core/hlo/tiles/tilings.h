// Tilings: candidate tile sizes for an array, and whether each of its tiles corresponds to a tile of what it reads.
//
//     [3,4]                                    [1,1] [1,2] [1,4] [2,1] .. [3,4]: powers of two and the whole dimension
//     bitcast f32[1,8,6,4,8] -> f32[48,32]     6x8, 3x8, 12x16: yes.   4x8: no, at tile (1, 0): rows 4 to 7 span two 6s
//
// Laws: Yes: the image of every tile, the last ones clipped to the array, is a tile or empty (SymbolicTile). No: `at`
// is the number of a tile without one, `why` what it would need. Unknown: more tiles than the limit.
// Source: XLA, SymbolicTileAnalysis::GetValidTilings, whose tiles also begin at multiples of their sizes.
#pragma once

#include "core/hlo/tiles/symbolic_tile.h"

namespace tessera::hlo {

// Per dimension, the powers of two below its size, and its size; all combinations, last dimension fastest. None for an
// array without elements. A Diag: more than 2^16 combinations.
[[nodiscard]] Result<std::vector<std::vector<i64>>> candidateTilings(const std::vector<i64>& sizes);

struct Tiling {
  enum class Verdict : unsigned char { Yes, No, Unknown };
  Verdict verdict = Verdict::Yes;
  std::vector<i64> at;  // of No: the failing tile's number
  std::string why;
};
// For an array of these sizes and a map into another array. Requires one size >= 1 per dimension.
[[nodiscard]] Tiling tilingOf(const Map& map, const std::vector<i64>& sizes, const std::vector<i64>& tile);

}  // namespace tessera::hlo
