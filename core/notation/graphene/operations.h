// What Graphene does with a tensor: tile, reshape, index, scalar, indices (section 3.2 to 3.4 of the paper).
//
//     tile(%A:[4,8:1,4], [2:2], [(2,2):(1,4)])    [2,2:1,8].[2,(2,2):2,(4,16)]
//     reshape(#g:[4:8].[8:1], 0, [2,2:2,1])       [2,2:16,8].[8:1]
//     index(%t:[2,2:128,8].[8,8:16,1], 1, 0)      [8,8:16,1] at offset 128
//     indices(#warp:[4:8].[8:1])                  (t/8)%4 and t%8
//
// Law of tile: every element of the tensor keeps its address and its logical coordinate; the tiles of an exact tiling
// partition it, and those of a partial one (1023 by 128) also hold coordinates beyond the extent, which a predicate masks.
#pragma once

#include <optional>
#include <vector>

#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// The places of one tile along a dimension: sum of digit * stride, in logical positions of the dimension.
struct TileMode {
  i64 size = 1, stride = 1;
  bool operator==(const TileMode&) const = default;
};
using TileSize = std::optional<std::vector<TileMode>>;  // nothing: `_`, the whole dimension

// outer_d = L_d o complement(t_d), inner_d = L_d o t_d for each dimension of the outermost shape; deeper levels stay.
// Refused: another number of tile sizes than dimensions; a tile that is not injective, or whose strides do not divide;
// a composition with a hierarchical dimension that is no list of strided modes; a partial tile of one.
[[nodiscard]] Result<Tensor> tile(const Tensor& tensor, const std::vector<TileSize>& sizes);

// One new dimension: its sizes, and its strides in the row-major linear index of the level; none: row-major.
struct NewDim {
  std::vector<i64> sizes, strides;
};
// Replaces the shape at `depth` (0: the outermost). Every element must be kept, once.
[[nodiscard]] Result<Tensor> reshape(const Tensor& tensor, std::size_t depth, const std::vector<NewDim>& dims);

// One coordinate a dimension: a number, which a hierarchical dimension splits leftmost-fastest, or one number a mode.
using Coordinate = std::vector<Expr>;
// Consumes the outermost shape. A constant beyond the size of its dimension is refused.
[[nodiscard]] Result<Tensor> index(const Tensor& tensor, const std::vector<Coordinate>& coordinates);
// One list of coordinates for each level, outermost first: the address of a scalar, behind the swizzle.
[[nodiscard]] Result<Expr> addressOf(const Tensor& tensor, const std::vector<std::vector<Coordinate>>& coordinates);

// The swizzle of an address: x xor ((x / 2^from) % 2^bits) * 2^to.
[[nodiscard]] Expr swizzled(const cute::Swizzle& swizzle, const Expr& x);

// The tensor of one thread or block: per-thread execution.
[[nodiscard]] Tensor scalar(const Tensor& tensor);

// Of thread or block `t`: (t / stride) % size of every mode, by level and dimension. Refused unless the modes are the
// digits of a mixed radix: sorted by stride, each stride a multiple of the span of the one below.
[[nodiscard]] Result<std::vector<std::vector<Coordinate>>> indices(const Tensor& tensor, const Expr& t);

// A Diag unless every size, stride and coordinate is a number: symbols, and addresses beyond 64 bits, are none.
[[nodiscard]] Result<void> requireKnown(const Tensor& tensor);

// Declared dimensions that some coordinate leaves: only these need a predicate. A symbolic extent counts as one that
// may be left unless the tiling keeps it whole.
struct Predicate {
  int dim = 0;
  Expr coordinate;  // over the digits of all levels, mode by mode in order: Expr::digit(0), ...
  Expr extent;
};
[[nodiscard]] std::vector<Predicate> predicates(const Tensor& tensor);

}  // namespace tessera::graphene
