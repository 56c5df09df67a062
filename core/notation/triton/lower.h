// An attribute and a shape are one linear::Layout.
//
//     toLinear(#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>,
//              (32,16))
//       = register = [[0,1],[0,2]], lane = [[0,4],[0,8],[1,0],[2,0],[4,0]], warp = [[8,0],[16,0]], block = []
//         -> dim0 32, dim1 16
//
// Each attribute describes one block's tile. combine (below) fits it to the shape: the blocks' share is taken off, a
// tile that is too small repeats on the first input (registers, or offsets), one that is too large wraps: bases that
// leave the shape become zero, so several threads hold one element. Register layouts go from (register, lane, warp,
// block), shared ones from (offset, block), tensor memory from (row, col, block), to (dim0, dim1 ..).
//
// Shapes must be powers of two, as in Triton.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/map/map.h"
#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"

namespace tessera::triton {

// Refused with the reason: rank or power of two, a shape smaller than the tile that hardware moves, a memory space.
// A padded layout gives its linear part (before padding); its shape must be the one it names, or empty.
[[nodiscard]] Result<linear::Layout> toLinear(const Encoding& encoding, const std::vector<i64>& shape);
[[nodiscard]] Result<linear::Layout> toLinear(const Text& text);

// The map of toLinear; for a padded layout the digit offset also gives the axis address, the offset with padding.
[[nodiscard]] Result<Map> toMap(const Encoding& encoding, const std::vector<i64>& shape);

// Where a shared layout puts each element: (dim0, dim1 ..) -> offset (and block), padding included as `address`.
// Refused for register layouts and where an element has no one place.
[[nodiscard]] Result<Map> memoryMap(const Encoding& encoding, const std::vector<i64>& shape);

// The same of whole types. A memdesc is laid out as its allocation is: the last dimensions of allocShape, as many as the
// shape has. One dimension more than the layout's counts buffers, each behind the one before it:
//
//     memoryMap(!ttg.memdesc<3x64x64xf16, #s, #ttg.shared_memory, mutable>)(b, i, j)
//       = 4096 * b + memoryMap(#s, (64,64))(i, j)
//
// toLinear gives the bases of the allocation with the buffer's bits outermost, and so wants a power of two of them;
// memoryMap has the shape's own coordinates and takes any number.
[[nodiscard]] Result<linear::Layout> toLinear(const Type& type);
[[nodiscard]] Result<Map> toMap(const Type& type);
[[nodiscard]] Result<Map> memoryMap(const Type& type);

// idx + sum of floor(idx / interval) * padding.
[[nodiscard]] i64 paddedOffset(const std::vector<std::pair<i64, i64>>& intervals, i64 index);
// Elements to allocate for n: no padding after the last one.
[[nodiscard]] i64 paddedSize(const std::vector<std::pair<i64, i64>>& intervals, i64 n);

}  // namespace tessera::triton
