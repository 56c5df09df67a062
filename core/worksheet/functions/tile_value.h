// A worksheet value as a tile of memory: what the bank, sector and vector analyses read of its arrow.
//
//     S = Sw<3,3,3> o (64,64):(64,1)      tileOf(S, 16): 64 x 64 elements of 2 bytes
//                                          tileMapOf(S): (i0, i1) -> offset, rowDigits = 1
//
// Rows and columns follow the order of the linear index: where the first mode is the fastest (CuTe) it is the row and
// everything behind it (stages) continues the columns; where the last one is (XLA, Axe, C) that is the column and
// everything before it the rows. With two modes both say the same.
#pragma once

#include "core/analysis/tile.h"
#include "core/worksheet/value.h"

namespace tessera {

// Elements -> one address; a Diag when the value is no layout in memory (an integer, an instruction), or has several
// axes.
[[nodiscard]] Result<Arrow> memoryArrowOf(const Value& value);

struct TileMap {
  Map map;
  int rowDigits = 1;  // the first digits of the map are the row
};
[[nodiscard]] Result<TileMap> tileMapOf(const Value& value);
[[nodiscard]] Result<Tile> tileOf(const Value& value, int elementBits);
// The element size that the value itself names (smem_ptr[16b] o ..., bf16[4,8]), else nullopt.
[[nodiscard]] std::optional<int> elementBitsOf(const Value& value);

}  // namespace tessera
