// ThreadGrid: the threads of a tensor, arranged by its levels, or those of a block by warps.
//
//     #6:[2,2:16,8].[8:1].thread      2 x 2 places of 8 threads side by side: T0..7 T8..15 over T16..23 T24..31
//
// Law: the outermost level says where a tile stands, the next one where in it; every cell stands for its thread
// (threadPoint), so that hovering it lights what the thread touches; find is the inverse of cell.
#pragma once

#include "core/graphene/places.h"
#include "render/figure/figure.h"

namespace tessera::graphene {

// A tensor's elements as rows and columns: of each level the last dimension runs across, the others down; one dimension of
// more than 16 is wrapped into rows of 8, of more than 64 into rows of 32.
struct Arrangement {
  i64 rows = 1, cols = 1;
  i64 tileRows = 1, tileCols = 1;  // of the innermost level
  std::vector<i64> slot;           // [row * cols + col] -> the element in logical order
};
// Requires sizes that are numbers (values of the variables) and at most Slots::kMost elements; else a Diag.
[[nodiscard]] Result<Arrangement> arranged(const Tensor& tensor, std::span<const i64> values);

// Threads in that arrangement; `active` are coloured (all when it is empty), `lit` stands out (-1: none).
[[nodiscard]] Result<Grid> threadGrid(const Tensor& tensor, std::span<const i64> values, i64 threads,
                                      const std::vector<i64>& active, i64 lit);
// The threads of a block: a warp a row, or eight in a row in small blocks.
[[nodiscard]] Grid blockGrid(i64 threads, const std::vector<i64>& active, i64 lit);

}  // namespace tessera::graphene
