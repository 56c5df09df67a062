// TLA: CATLASS's tensor layouts for Ascend: a CuTe layout plus the actual shape of the data (originShape).
//
// The cube unit reads fractals of 512 bytes: 16 rows of C0 = 32/sizeof(T) elements. In zN, z describes the inside of a
// fractal (row-major) and N the order of the fractals (column-major); nZ, zZ and nN likewise. With 4x4 blocks, as in
// TLA's documentation:
//
//     ((4,2),(4,3)):((4,16),(1,32))        0  1  2  3 | 32 33 34 35 | 64 ...     element (1,5) is at
//                                          4  5  6  7 | 36 37 38 39 | 68 ...     1*4 + (1*1 + 1*32) = 37
//
// Law: crd2offset(c) == CuTe's crd2idx(c); every block layout is injective and covers its padded rectangle once.
// It does not describe only real data: originShape bounds the real coordinates, and the layout also places the padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/layout/layout.h"
#include "core/map/map.h"
#include "core/notation/cute/int_tuple.h"
#include "core/notation/cute/layout.h"

namespace tessera::tla {

class Layout {
 public:
  // originShape has one integer per mode; the default is the product of each mode.
  [[nodiscard]] static Result<Layout> make(cute::Layout layout, std::optional<cute::IntTuple> originShape = {});

  [[nodiscard]] const cute::Layout& layout() const { return layout_; }
  [[nodiscard]] const cute::IntTuple& originShape() const { return origin_; }
  bool operator==(const Layout&) const = default;

 private:
  Layout(cute::Layout layout, cute::IntTuple origin) : layout_(std::move(layout)), origin_(std::move(origin)) {}
  cute::Layout layout_;
  cute::IntTuple origin_;
};

enum class Tag : unsigned char { RowMajor, ColumnMajor, Vector, zN, nZ, zZ, nN, L0C, Weight4BitnZ };

// "zN" "nZ" "zZ" "nN" "L0C" "RowMajor" "ColumnMajor" "Vector"/"VectorLayout" "Weight4BitnZ", with or without layout::
[[nodiscard]] Result<Tag> parseTag(std::string_view name);

// MakeLayout<T, Tag>(rows, columns) for elements of elementBytes bytes (1, 2, 4, 8, 16 or 32).
[[nodiscard]] Result<Layout> makeLayout(Tag tag, i64 elementBytes, i64 rows, i64 columns);
// Fmap (N, C1, H, W, C0) and Filter in L1 (C1, KH, KW, roundup(Cout, 16), C0), compact row-major.
[[nodiscard]] Result<Layout> makeFmap(i64 elementBytes, i64 batch, i64 c1, i64 height, i64 width);
[[nodiscard]] Result<Layout> makeFilter(i64 elementBytes, i64 c1, i64 kh, i64 kw, i64 cout);

// GetTileLayout(L, tile, coord), formerly MakeLayoutTile(L, tile): keeps the strides; each blocked mode (inner, outer)
// becomes (inner, ceil(tile/inner)), and originShape = min(tile, max(origin - coord, 0)). coord defaults to the origin.
[[nodiscard]] Result<Layout> tileLayout(const Layout& layout, const cute::IntTuple& tile,
                                        std::optional<cute::IntTuple> coord = {});

// CuTe's crd2idx: integer coordinates of a mode are split colexicographically, without a bounds check.
[[nodiscard]] Result<i64> crd2offset(const cute::IntTuple& coord, const cute::Layout& layout);

// catlass::layout tags before TLA: four numbers (inner row, outer row, inner column, outer column).
struct LegacyLayout {
  Tag tag = Tag::zN;
  std::vector<i64> shape;
  std::vector<i64> stride;
  // The original GetOffset: zN, nZ and L0C give the element's offset; zZ and nN only that of its fractal.
  [[nodiscard]] Result<i64> getOffset(i64 row, i64 column) const;
};
[[nodiscard]] Result<LegacyLayout> legacyLayout(Tag tag, i64 elementBytes, i64 rows, i64 columns);
[[nodiscard]] Result<LegacyLayout> paddingLayout(bool rowMajor, i64 rows, i64 columns, i64 blockRows, i64 blockColumns);

// "((4,2),(4,3)):((4,16),(1,32))", followed by " origin (7,11)" unless the origin shape is the whole layout.
[[nodiscard]] std::string print(const Layout& layout);

// The map of the CuTe layout, with guards that mark the coordinates inside originShape as real.
// Law: the map's value at c is crd2offset(c), and c is real iff each of its modes is inside originShape.
[[nodiscard]] Result<Map> toMap(const Layout& layout);

}  // namespace tessera::tla

namespace tessera {

template <>
struct NotationOf<tla::Layout> {
  static std::string_view kind(const tla::Layout&) { return "layout"; }
  static std::string_view noun(const tla::Layout&) { return "a TLA layout"; }
  static Result<Arrow> arrow(const tla::Layout& layout);
  static LayoutFacts facts(const tla::Layout& layout);
  static constexpr std::string_view kFamily = "cute";
  static Layout underlying(const tla::Layout& layout);
};

}  // namespace tessera
