// Swizzle forms: a swizzled or padded tile in other notations: a TMA mode, a Triton encoding, CUDA index code.
//
//     Sw<3,3,3> o 0 o (128,64):(64,1), 16 bits   CU_TENSOR_MAP_SWIZZLE_128B
//                                                #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8,
//                                                                      order = [1, 0]}>
//     (64,32):(40,1)                             #ttg.padded_shared<[32:+8] {order = [1, 0], shape = [64, 32]}>
//
// padded_shared counts elements, not memory: element number i (in `order`) is at i + (i floordiv interval) * padding,
// summed over the pairs. So the interval is the tile's row and the padding the whole gap between two rows: the layout
// (4,8):(24,1) is [8:+16], whether its rows were padded by 16 at once, or first to 16 and then by 8.
//
// Law: a form is returned only if it gives exactly the same addresses; otherwise there is none.
#pragma once

#include <optional>
#include <string>

#include "core/analysis/access/tile.h"
#include "core/base/types.h"
#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"

namespace tessera {

// offset(r, c) == r * pitch + c (rowMajor) or c * pitch + r for the whole tile.
struct RowPitch {
  i64 pitch = 0;
  bool rowMajor = true;
};
[[nodiscard]] std::optional<RowPitch> rowPitchOf(const Tile& tile);

// rowPitch: elements from one row (of the contiguous dimension) to the next.
[[nodiscard]] std::optional<std::string> tmaSwizzleMode(const cute::Swizzle& onElements, int elementBits, i64 rowPitch);
// Requires rows without gaps: rowPitch elements each.
[[nodiscard]] std::optional<std::string> tritonSwizzle(const cute::Swizzle& onElements, i64 rowPitch, bool rowMajor);
// The tile, if it is compact except for gaps of powers of two; nullopt if there is no gap.
[[nodiscard]] std::optional<std::string> tritonPadding(const Tile& tile);
[[nodiscard]] std::string cudaIndexCode(const cute::Swizzle& onElements, const cute::Layout& layout);

}  // namespace tessera
