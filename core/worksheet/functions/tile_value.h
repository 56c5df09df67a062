// A worksheet value as a tile of memory: what the bank, sector and vector analyses read.
//
//     S = Sw<3,3,3> o (64,64):(64,1)      tileOf(S, 16): 64 x 64 elements of 2 bytes
//                                          tileMapOf(S): (i0, i1) -> offset, rowDigits = 1
//
// Mode 0 is the row, mode 1 (and further modes: stages) the column, as core/analysis/tile.h says.
#pragma once

#include "core/analysis/tile.h"
#include "core/worksheet/value.h"

namespace tessera {

struct TileMap {
  Map map;
  int rowDigits = 1;  // the first digits of the map are the row
};
// A Diag when the value is no layout in memory (an integer, an instruction), or has several axes.
[[nodiscard]] Result<TileMap> tileMapOf(const Value& value);
[[nodiscard]] Result<Tile> tileOf(const Value& value, int elementBits);
// The element size that the value itself names (smem_ptr[16b] o ...), else nullopt.
[[nodiscard]] std::optional<int> elementBitsOf(const Value& value);

}  // namespace tessera
