// Tile: a memory layout as a table rows x columns -> element offset, for the access models.
//
//     (4,8):(8,1), fp16:   offset(1,3) = 11, byte 22        Sw<1,0,3> o 0 o (4,8):(8,1):   offset(1,3) = 11 ^ 1 = 10
//
// Law: offset(r, c) == L((r, c)) for the layout it was made from. A rank-1 layout is one row; modes beyond the second
// (pipeline stages) continue the columns. Shared memory is small, so a table is the fastest exact form; a tile above
// kMaxTileElements is a Diag.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/layout/layout.h"
#include "core/map/map.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"

namespace tessera {

class Tile {
 public:
  static constexpr i64 kMaxTileElements = i64{1} << 22;

  // Requires elementBits in 1 .. 128 and a power of two (6-bit floats are stored as bytes in shared memory).
  [[nodiscard]] static Result<Tile> of(const cute::Layout& layout, int elementBits);
  // The map's first axis; its first rowDigits digits (first fastest) form the row, the others the column. A map of one
  // digit is one row. Requires Index digits only and no parameters. `text` names it in messages; empty: the map's own.
  [[nodiscard]] static Result<Tile> of(const Map& map, int elementBits, int rowDigits = 1, std::string text = "");
  // offsets[r * columns + c]. Requires offsets.size() == rows * columns.
  [[nodiscard]] static Tile ofTable(i64 rows, i64 columns, std::vector<i64> offsets, int elementBits, std::string text);

  [[nodiscard]] i64 rows() const { return rows_; }
  [[nodiscard]] i64 columns() const { return columns_; }
  [[nodiscard]] int elementBits() const { return elementBits_; }
  [[nodiscard]] const std::string& text() const { return text_; }  // the layout as printed
  [[nodiscard]] const std::vector<i64>& offsets() const { return offsets_; }
  [[nodiscard]] i64 offset(i64 row, i64 column) const {
    return offsets_[static_cast<std::size_t>(row * columns_ + column)];
  }
  // Bit address of an element; a whole byte for elements of 8 bits and more.
  [[nodiscard]] i64 bit(i64 row, i64 column) const { return offset(row, column) * elementBits_; }
  // 1 + the largest offset: the elements of memory that the tile spans.
  [[nodiscard]] i64 span() const;
  // The dimension along which offsets grow by one: 1 (along a row) or 0 (down a column); 1 if neither.
  [[nodiscard]] int contiguousDimension() const;

 private:
  i64 rows_ = 1;
  i64 columns_ = 1;
  int elementBits_ = 8;
  std::vector<i64> offsets_ = {0};
  std::string text_;
};

// The widest access, in bytes (1 .. 16), that fits every aligned group of elements along the contiguous dimension:
// groups are contiguous in memory and start at a multiple of the width. 0 if elements are narrower than a byte and not
// even a byte is contiguous. `vectorizes(L, w)` is vectorBytes(tile) >= w.
[[nodiscard]] int vectorBytes(const Tile& tile);

// Why a width does not fit: the first failing group, in words; empty if it fits.
[[nodiscard]] std::string vectorFault(const Tile& tile, int bytes);

// A layout as a tile of memory, the form that the bank, sector and vector analyses read.
//
//     S = Sw<3,3,3> o (64,64):(64,1)      tileOf(S, 16): 64 x 64 elements of 2 bytes
//                                          tileMapOf(S): (i0, i1) -> offset, rowDigits = 1
//
// With more than two modes, one end is a matrix and the other counts matrices; the addresses decide. If a step along
// the last mode is the larger one (stages of CuTe, (64,64,3):(64,1,4096)), the first mode is the row and the others are
// columns; otherwise (batches of XLA, Axe and C, f16[3,64,64]) the last mode is the column and the others are rows.
// Unit modes are ignored. Law: equal layouts of one shape give the same tile in every notation.

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
