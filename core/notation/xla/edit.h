// Changes of layout and shape, and whether a change of shape moves no data.
//
//     f32[16,17,3,7] -> f32[7,16,51]{0,2,1}      transpose {0,1,2,3}, reshape to f32[16,51,7], transpose {2,0,1}
//
// A bitcast gives the same bytes another shape. XLA decomposes it into a reshape if the physical order keeps the
// row-major order, else a transpose, else transpose - reshape - transpose. XLA ignores tiles here; this code compares
// slots, including tiles and padding, so every result agrees with equal.
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
// ShapeUtil::ReorderLogicalDimensions: out.dim[i] = in.dim[permutation[i]]; the bytes do not move.
[[nodiscard]] Result<Shape> reorderDimensions(const Shape& shape, const std::vector<i64>& permutation);
// The row-major shape with the same physical order.
[[nodiscard]] Result<Shape> rowMajorOf(const Shape& shape);

// Whether the row-major reshape leaves every element in its slot; without tiles, ShapeUtil::ReshapeIsBitcast. A Diag if
// that is undecided: a piece with partial tiles has more than 2^20 elements, and the first 2^20 agree. The same holds
// for the next three functions.
[[nodiscard]] Result<bool> reshapeIsBitcast(const Shape& input, const Shape& output);
// Whether the transpose with out.dim[i] = in.dim[perm[i]] leaves every element in its slot.
[[nodiscard]] Result<bool> transposeIsBitcast(const Shape& input, const Shape& output,
                                              const std::vector<i64>& permutation);
// Such a permutation, if there is one, preferably XLA's (the same physical order).
[[nodiscard]] Result<std::optional<std::vector<i64>>> transposeOfBitcast(const Shape& input, const Shape& output);

struct Bitcast {
  enum class Kind : unsigned char { None, Reshape, Transpose, TransposeReshapeTranspose };
  Kind kind = Kind::None;
  std::string why;              // None: the reason
  std::vector<i64> transpose1;  // Transpose: the permutation; t-r-t: the first one
  std::optional<Shape> shape1;  // t-r-t: after the first transpose
  std::optional<Shape> reshape;
  std::vector<i64> transpose2;
};
[[nodiscard]] Result<Bitcast> decomposeBitcast(const Shape& input, const Shape& output);
// "reshape", "transpose {0,2,3,1}", "transpose {..} to .., reshape to .., transpose {..}", "none: ..."
[[nodiscard]] std::string print(const Bitcast& bitcast);

// The used fraction of the memory traffic when a tile of these sizes (and strides) is read in transactions of that many
// bytes: contiguous bytes / (transaction * ceil(contiguous / transaction)). Only the part inside the array counts.
[[nodiscard]] Result<double> bandwidthUtilization(const Shape& shape, const std::vector<i64>& tileSizes,
                                                  const std::vector<i64>& tileStrides, i64 transactionBytes = 64);

}  // namespace tessera::xla
