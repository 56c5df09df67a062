// ThreadGrid: the threads of a tensor arranged by its levels, or those of a block by warps.
//
//     #6:[2,2:16,8].[8:1].thread      2 x 2 groups of 8 threads side by side: T0..7 T8..15 over T16..23 T24..31
//
// Law: the outermost level gives the place of a tile, the next one the place within it. Every cell represents its
// thread (threadPoint), so that hovering it lights what the thread accesses. find is the inverse of cell.
#pragma once

#include "core/graphene/slots/slots.h"
#include "render/figure/figure.h"

namespace tessera::graphene {

// A tensor's elements as rows and columns: the last dimension of each level runs across, the others down. A single
// dimension of more than 16 is wrapped into rows of 8, of more than 64 into rows of 32.
struct Arrangement {
  i64 rows = 1, cols = 1;
  i64 tileRows = 1, tileCols = 1;  // of the innermost level
  std::vector<i64> slot;           // [row * cols + col] -> element in logical order
};
// Returns a Diag unless sizes are constants (given `values` of the variables) and there are at most Slots::kMost
// elements.
[[nodiscard]] Result<Arrangement> arranged(const Tensor& tensor, std::span<const i64> values);

// Threads in that arrangement; `active` ones are coloured (empty: all), `lit` is highlighted (-1: none).
[[nodiscard]] Result<Grid> threadGrid(const Tensor& tensor, std::span<const i64> values, i64 threads,
                                      const std::vector<i64>& active, i64 lit);
// The threads of a block: one warp per row; in small blocks eight threads per row.
[[nodiscard]] Grid blockGrid(i64 threads, const std::vector<i64>& active, i64 lit);

}  // namespace tessera::graphene
