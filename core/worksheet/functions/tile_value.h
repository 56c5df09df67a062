// A worksheet value as a tile of memory: what the bank, sector and vector analyses read of its arrow.
//
//     S = Sw<3,3,3> o (64,64):(64,1)      tileOf(S, 16): 64 x 64 elements of 2 bytes
//                                          tileMapOf(S): (i0, i1) -> offset, rowDigits = 1
//
// Of more than two modes one end is a matrix and the other counts matrices, and the addresses say which: where a step
// along the last mode is the larger one (stages of CuTe, (64,64,3):(64,1,4096)), the first mode is the row and the
// others are columns; else (batches of XLA, Axe and C, f16[3,64,64]) the last mode is the column and the others are
// rows. Modes of one element do not count. Law: equal layouts of one shape are one tile, whatever their notations.
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
// elementBits: of the tile's elements, which S<3,4,3> o 0 o L has to know; 0 when nobody says.
[[nodiscard]] Result<TileMap> tileMapOf(const Value& value, int elementBits = 0);
[[nodiscard]] Result<Tile> tileOf(const Value& value, int elementBits);
// The value as a layout of elements of this width: S<3,4,3> o 0 o L over 16 bits is Sw<3,3,3> o 0 o L. Every other value
// stays as it is.
[[nodiscard]] Result<Value> withElements(const Value& value, int elementBits);
// Why nothing can be said of the value's addresses: a swizzle on bytes over elements of no known type. nullopt: no reason.
[[nodiscard]] std::optional<std::string> missingElementType(const Value& value);
// "the base address 0x7f2d00000400 is left out": of a tensor whose pointer has one; "" else.
[[nodiscard]] std::string baseAddressNote(const Value& value);
// The element size that the value itself names (smem_ptr[16b] o ..., bf16[4,8]), else nullopt.
[[nodiscard]] std::optional<int> elementBitsOf(const Value& value);

}  // namespace tessera
