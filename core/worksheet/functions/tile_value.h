// A worksheet value as a tile of memory: what the bank, sector and vector analyses read from its arrow.
//
//     S = Sw<3,3,3> o (64,64):(64,1)      tileOf(S, 16): 64 x 64 elements of 2 bytes
//                                          tileMapOf(S): (i0, i1) -> offset, rowDigits = 1
//
// With more than two modes, one end is a matrix and the other counts matrices; the addresses decide. If a step along
// the last mode is the larger one (stages of CuTe, (64,64,3):(64,1,4096)), the first mode is the row and the others are
// columns; otherwise (batches of XLA, Axe and C, f16[3,64,64]) the last mode is the column and the others are rows.
// Unit modes are ignored. Law: equal layouts of one shape give the same tile in every notation.
#pragma once

#include "core/analysis/tile.h"
#include "core/worksheet/value.h"

namespace tessera {

// The arrow from elements to one address; a Diag if the value is not a layout in memory (an integer, an instruction),
// or has several axes.
[[nodiscard]] Result<Arrow> memoryArrowOf(const Value& value);

struct TileMap {
  Map map;
  int rowDigits = 1;  // the leading digits of the map that form the row
};
// elementBits: width of the tile's elements, needed by S<3,4,3> o 0 o L; 0 if unknown.
[[nodiscard]] Result<TileMap> tileMapOf(const Value& value, int elementBits = 0);
[[nodiscard]] Result<Tile> tileOf(const Value& value, int elementBits);
// The value as a layout of elements of this width: S<3,4,3> o 0 o L over 16 bits is Sw<3,3,3> o 0 o L. Other values are
// returned unchanged.
[[nodiscard]] Result<Value> withElements(const Value& value, int elementBits);
// Why the value has no known addresses: a swizzle on bytes over elements of unknown type. nullopt: it has.
[[nodiscard]] std::optional<std::string> missingElementType(const Value& value);
// "the base address 0x7f2d00000400 is left out": for a tensor whose pointer has one; otherwise "".
[[nodiscard]] std::string baseAddressNote(const Value& value);
// The element size that the value itself gives (smem_ptr[16b] o ..., bf16[4,8]), else nullopt.
[[nodiscard]] std::optional<int> elementBitsOf(const Value& value);

}  // namespace tessera
