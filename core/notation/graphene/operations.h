// Graphene's tensor operations: tile, reshape, index, scalar, indices (sections 3.2 to 3.4 of the paper).
//
//     tile(%A:[4,8:1,4], [2:2], [(2,2):(1,4)])    [2,2:1,8].[2,(2,2):2,(4,16)]
//     reshape(#g:[4:8].[8:1], 0, [2,2:2,1])       [2,2:16,8].[8:1]
//     index(%t:[2,2:128,8].[8,8:16,1], 1, 0)      [8,8:16,1] at offset 128
//     indices(#warp:[4:8].[8:1])                  (t/8)%4 and t%8
//
// Law of tile: every element keeps its address and its logical coordinate. The tiles of an exact tiling partition the
// tensor; those of a partial tiling (1023 by 128) also contain coordinates beyond the extent, which a predicate masks.
#pragma once

#include <optional>
#include <vector>

#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// The elements of one tile along a dimension: sum of digit * stride, in logical positions of the dimension.
struct TileMode {
  i64 size = 1, stride = 1;
  bool operator==(const TileMode&) const = default;
};
using TileSize = std::optional<std::vector<TileMode>>;  // nullopt: `_`, the whole dimension

// outer_d = L_d o complement(t_d), inner_d = L_d o t_d for each dimension of the outermost shape; deeper levels are
// unchanged. Refused: a number of tile sizes other than the rank; a tile that is not injective, or whose strides do not
// divide; a composition with a hierarchical dimension that is not a list of strided modes; a partial tile of a
// hierarchical dimension.
[[nodiscard]] Result<Tensor> tile(const Tensor& tensor, const std::vector<TileSize>& sizes);

// One new dimension: its sizes, and its strides in the row-major linear index of the level (row-major if empty).
struct NewDim {
  std::vector<i64> sizes, strides;
};
// Replaces the shape at `depth`; 0 is the outermost one. Every element must be kept exactly once.
[[nodiscard]] Result<Tensor> reshape(const Tensor& tensor, std::size_t depth, const std::vector<NewDim>& dims);

// The coordinate of one dimension: one number, which a hierarchical dimension splits leftmost-fastest, or one per mode.
using Coordinate = std::vector<Expr>;
// Removes the outermost shape. Refused: a constant beyond the size of its dimension.
[[nodiscard]] Result<Tensor> index(const Tensor& tensor, const std::vector<Coordinate>& coordinates);
// The address of a scalar, after the swizzle. One list of coordinates per level, outermost first.
[[nodiscard]] Result<Expr> addressOf(const Tensor& tensor, const std::vector<std::vector<Coordinate>>& coordinates);

// The tensor of a single thread or block, for per-thread execution.
[[nodiscard]] Tensor scalar(const Tensor& tensor);
// Whether each stride is the product of the smaller modes' sizes, in some order: [M,N:1,M].
[[nodiscard]] bool isCompact(std::vector<Mode> modes);

// The coordinates of thread or block `t`: (t / stride) % size for every mode, by level and dimension. Refused unless
// the modes are the digits of a mixed radix: sorted by stride, each stride is a multiple of the span of the mode below.
[[nodiscard]] Result<std::vector<std::vector<Coordinate>>> indices(const Tensor& tensor, const Expr& t);

// A Diag unless every size, stride and coordinate is a number, without symbols or 64-bit overflow.
[[nodiscard]] Result<void> requireKnown(const Tensor& tensor);

// The declared dimensions whose extent some coordinate may exceed; only these need a predicate. A symbolic extent
// counts as such unless the tiling keeps it whole.
struct Predicate {
  int dim = 0;
  Expr coordinate;  // over the digits of all levels, mode by mode in order: Expr::digit(0), ...
  Expr extent;
};
[[nodiscard]] std::vector<Predicate> predicates(const Tensor& tensor);

}  // namespace tessera::graphene
