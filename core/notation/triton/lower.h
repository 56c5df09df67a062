// Lowering: an attribute and a shape give one linear::Layout.
//
//     toLinear(#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>,
//              (32,16))
//       = register = [[0,1],[0,2]], lane = [[0,4],[0,8],[1,0],[2,0],[4,0]], warp = [[8,0],[16,0]], block = []
//         -> dim0 32, dim1 16
//
// Each attribute describes the tile of one block. combine (lower_detail.h) fits it to the shape: it divides the shape
// by the blocks, repeats a small tile on the first input (registers, or offsets), and wraps a large one: bases outside
// the shape become zero, so that several threads hold the same element. Register layouts map from (register, lane,
// warp, block), shared layouts from (offset, block), and tensor memory from (row, col, block), to (dim0, dim1 ..).
//
// Not supported: shapes that are not powers of two, as in Triton.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/map/map.h"
#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"

namespace tessera::triton {

// A Diag for an extent that is not a power of two, another rank, a shape smaller than the hardware's tile, or a memory
// space. For a padded layout, the linear part (before padding); the shape must be the one that it names, or empty.
[[nodiscard]] Result<linear::Layout> toLinear(const Encoding& encoding, const std::vector<i64>& shape);

// The map of toLinear; a padded layout also has the axis address, the padded offset.
[[nodiscard]] Result<Map> toMap(const Encoding& encoding, const std::vector<i64>& shape);

// The place of each element in a shared layout: (dim0, dim1 ..) -> offset (and block), or `address` with padding.
// Refused for register layouts, and if an element has more than one place.
[[nodiscard]] Result<Map> memoryMap(const Encoding& encoding, const std::vector<i64>& shape);

// The same for whole types. A memdesc has the layout of its allocation, the last dimensions of allocShape, as many as
// the shape has. One dimension more than the layout has counts consecutive buffers:
//
//     memoryMap(!ttg.memdesc<3x64x64xf16, #s, #ttg.shared_memory, mutable>)(b, i, j)
//       = 4096 * b + memoryMap(#s, (64,64))(i, j)
//
// toLinear gives the bases of the allocation with the bits of the buffer outermost, so the number of buffers must be a
// power of two; memoryMap uses the shape's coordinates and takes any number.
[[nodiscard]] Result<linear::Layout> toLinear(const Type& type);
[[nodiscard]] Result<Map> toMap(const Type& type);
[[nodiscard]] Result<Map> memoryMap(const Type& type);

// index + sum of floor(index / interval) * padding.
[[nodiscard]] i64 paddedOffset(const std::vector<std::pair<i64, i64>>& intervals, i64 index);
// Elements to allocate for n: no padding after the last one.
[[nodiscard]] i64 paddedSize(const std::vector<std::pair<i64, i64>>& intervals, i64 n);

}  // namespace tessera::triton
