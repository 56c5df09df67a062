// Tilings: tile sizes for an array, and whether each of its tiles goes with a tile of what it reads.
//
//     [3,4]                                    [1,1] [1,2] [1,4] [2,1] .. [3,4]: powers of two and the whole dimension
//     bitcast f32[1,8,6,4,8] -> f32[48,32]     6x8, 3x8, 12x16: yes.   4x8: no, at tile (1, 0): rows 4 to 7 are parts of two 6s
//
// Law: Yes: the image of every tile, the last ones cut to the array, is a tile or empty (SymbolicTile); No: `at` is the number of one for
// which there is no answer, `why` says what it would take; Unknown: more tiles than are tried.
// Source: XLA, SymbolicTileAnalysis::GetValidTilings, whose tiles all begin at multiples of their sizes, as these.
#pragma once

#include "core/hlo/symbolic_tile.h"

namespace tessera::hlo {

// For each dimension the powers of two below its size, and its size; all combinations, the last dimension fastest. An array without
// elements has none. A Diag: more than 2^16 of them.
[[nodiscard]] Result<std::vector<std::vector<i64>>> candidateTilings(const std::vector<i64>& sizes);

struct Tiling {
  enum class Verdict : unsigned char { Yes, No, Unknown };
  Verdict verdict = Verdict::Yes;
  std::vector<i64> at;  // of No: the tile's number
  std::string why;
};
// Of an array of these sizes, by its map into another. Requires a size from 1 for each dimension.
[[nodiscard]] Tiling tilingOf(const Map& map, const std::vector<i64>& sizes, const std::vector<i64>& tile);

}  // namespace tessera::hlo
