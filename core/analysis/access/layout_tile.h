// A layout as a tile of memory: what the bank, sector and vector analyses read from its arrow.
//
//     S = Sw<3,3,3> o (64,64):(64,1)      tileOf(S, 16): 64 x 64 elements of 2 bytes
//                                          tileMapOf(S): (i0, i1) -> offset, rowDigits = 1
//
// With more than two modes, one end is a matrix and the other counts matrices; the addresses decide. If a step along
// the last mode is the larger one (stages of CuTe, (64,64,3):(64,1,4096)), the first mode is the row and the others are
// columns; otherwise (batches of XLA, Axe and C, f16[3,64,64]) the last mode is the column and the others are rows.
// Unit modes are ignored. Law: equal layouts of one shape give the same tile in every notation.
#pragma once

#include <optional>

#include "core/analysis/access/tile.h"
#include "core/layout/layout.h"

namespace tessera {

// The arrow from elements to one address; a Diag if the layout is not in memory or has several axes.
[[nodiscard]] Result<Arrow> memoryArrowOf(const Layout& layout);

struct TileMap {
  Map map;
  int rowDigits = 1;  // the leading digits of the map that form the row
};
// elementBits: width of the tile's elements, needed by S<3,4,3> o 0 o L; 0 if unknown.
[[nodiscard]] Result<TileMap> tileMapOf(const Layout& layout, int elementBits = 0);
[[nodiscard]] Result<Tile> tileOf(const Layout& layout, int elementBits);
// The layout over elements of this width: S<3,4,3> o 0 o L over 16 bits is Sw<3,3,3> o 0 o L. Other layouts are
// returned unchanged.
[[nodiscard]] Result<Layout> withElements(const Layout& layout, int elementBits);
// The element size that the layout itself gives (smem_ptr[16b] o ..., bf16[4,8]), else nullopt.
[[nodiscard]] std::optional<int> elementBitsOf(const Layout& layout);

}  // namespace tessera
