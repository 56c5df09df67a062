// Changing a layout, and when a change of shape costs nothing.
//
//     f32[16,17,3,7] -> f32[7,16,51]{0,2,1}      transpose {0,1,2,3}, reshape to f32[16,51,7], transpose {2,0,1}
//
// A bitcast gives the same bytes another shape. XLA's decomposition: a reshape when the row-major order is kept by the
// physical order, else a transpose, else transpose - reshape - transpose. All of it ignores tiles, as XLA does;
// Bitcast::tilesIgnored says when a side has tiles that move elements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/notation/xla/shape.h"

namespace tessera::xla {

[[nodiscard]] Result<Shape> withMinorToMajor(const Shape& shape, std::vector<i64> order);
[[nodiscard]] Result<Shape> withTiles(const Shape& shape, std::vector<std::vector<i64>> tiles);
[[nodiscard]] Result<Shape> withMemorySpace(const Shape& shape, i64 space);
// ShapeUtil::ReorderLogicalDimensions: out.dim[i] = in.dim[permutation[i]], the bytes stay where they are.
[[nodiscard]] Result<Shape> reorderDimensions(const Shape& shape, const std::vector<i64>& permutation);
// The row-major shape with the same physical order.
[[nodiscard]] Result<Shape> rowMajorOf(const Shape& shape);

// ShapeUtil::ReshapeIsBitcast: the row-major reshape moves no element (tiles ignored).
[[nodiscard]] bool reshapeIsBitcast(const Shape& input, const Shape& output);
// The permutation with out.dim[i] = in.dim[perm[i]] and the same physical order, when there is one.
[[nodiscard]] std::optional<std::vector<i64>> transposeOfBitcast(const Shape& input, const Shape& output);

struct Bitcast {
  enum class Kind : unsigned char { None, Reshape, Transpose, TransposeReshapeTranspose };
  Kind kind = Kind::None;
  std::string why;              // None: the reason
  std::vector<i64> transpose1;  // Transpose: the permutation; t-r-t: the first one
  std::optional<Shape> shape1;  // t-r-t: after the first transpose
  std::optional<Shape> reshape;
  std::vector<i64> transpose2;
  bool tilesIgnored = false;  // a side has tiles that matter, so equal bytes are not shown
};
[[nodiscard]] Bitcast decomposeBitcast(const Shape& input, const Shape& output);
// "reshape", "transpose {0,2,3,1}", "transpose {..} to .., reshape to .., transpose {..}", "none: ..."
[[nodiscard]] std::string print(const Bitcast& bitcast);

// How much of what memory moves is used, when a tile of these sizes (and strides) is read with transactions of so many
// bytes: contiguous bytes / (transaction * ceil(contiguous / transaction)).
// Of a tile that is larger than the array only the part inside counts.
[[nodiscard]] Result<double> bandwidthUtilization(const Shape& shape, const std::vector<i64>& tileSizes,
                                                  const std::vector<i64>& tileStrides, i64 transactionBytes = 64);

}  // namespace tessera::xla
