// Tensor: a layout and where it begins. Slices of layouts lose their first offset; slices of tensors keep it.
//
//     (8,4):(4,1) at (3,_)                       counting_iter(12) o (4):(1)
//     Sw<1,0,2> o 0 o (4,4):(4,1) at (3,_)       Sw<1,0,2> o 12 o (4):(1)
//     smem_ptr[16b](0x40) o (8,4):(4,1) at (3,_) smem_ptr[16b](0x58) o (4):(1)
//     make_identity_tensor((8,4)) at (3,_)       ArithTuple(3,0) o (4):(1@1)
//
// This is CuTe's rule: the offset moves into the pointer, and a layout without a pointer gets the one that counts,
// counting_iter. Under a swizzle it moves into the offset of the composed layout.
//
// Law: slice(c, T)(x) == T(c with x in its wildcards), except that a known address of memory moves, because values
// count from it. A tensor that begins at 0 without a pointer is its plain layout.
#pragma once

#include <variant>

#include "core/base/result.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

struct Tensor {
  Layout layout;
  ComposedLayout::Outer outer;  // a swizzle or a layout, applied last; usually none
  IntTuple offset;              // added to the layout's values: an integer, or a tuple of coordinates
  Engine engine;                // as it was at the beginning; `offset` is not yet part of it
};
[[nodiscard]] Tensor tensorOf(Layout layout);
// A Diag for a pointer without an address whose swizzle cannot be separated from it.
[[nodiscard]] Result<Tensor> tensorOf(const ComposedLayout& layout);

// The modes under `_`, in one list; everything else of the coordinate becomes offset. Coordinates are not checked
// against extents, as in CuTe.
[[nodiscard]] Result<Tensor> slice(const IntTuple& coord, const Tensor& tensor);
// The same tensor with another layout over it.
[[nodiscard]] Result<Tensor> withLayout(const Tensor& tensor, Result<Layout> layout);

// The layout that it is; a composed one if it has an offset, a swizzle or a pointer.
using AnyLayout = std::variant<Layout, ComposedLayout>;
[[nodiscard]] Result<AnyLayout> layoutOf(const Tensor& tensor);

// `_` for each of n modes; coord followed by `_` up to n modes.
[[nodiscard]] IntTuple wildcards(int n);
[[nodiscard]] IntTuple padded(const IntTuple& coord, int n);

// A tile, to divide by: modes of a shape, layouts, or one layout.
using Division = std::variant<Layout, Tiler>;
[[nodiscard]] Result<Layout> zippedDivide(const Layout& a, const Division& b);

// The tile at a coordinate of the tiles (local_tile), and the elements at a coordinate inside every tile
// (local_partition). A coordinate that is an integer counts all of the modes; a tuple may omit the last modes.
//
//     innerPartition((8,8):(8,1), (4,2), (1,3))    (4,2):(8,1) at 38
//     outerPartition((8,8):(8,1), (4,2), (1,1))    (2,4):(32,2) at 9
[[nodiscard]] Result<Tensor> innerPartition(const Tensor& tensor, const Division& tiler, const IntTuple& coord);
[[nodiscard]] Result<Tensor> outerPartition(const Tensor& tensor, const Division& tiler, const IntTuple& coord);

// get_flat_coord: one number for each mode of the layout at which it has this value: 5 in (4,8):(8,1) is (0,5).
[[nodiscard]] Result<IntTuple> flatCoordinate(const Layout& layout, i64 value);

}  // namespace tessera::cute
