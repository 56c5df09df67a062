// Swizzle forms: a swizzled or padded tile as a TMA mode, a Triton encoding and CUDA index code.
//
//     Sw<3,3,3> o 0 o (128,64):(64,1), 16 bits   CU_TENSOR_MAP_SWIZZLE_128B
//                                                #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8,
//                                                                      order = [1, 0]}>
//     (64,32):(40,1)                             #ttg.padded_shared<[32:+8] {order = [1, 0], shape = [64, 32]}>
//
// padded_shared counts elements, not memory: element number i (in `order`) is at i + (i floordiv interval) * padding,
// summed over the pairs. The interval is therefore the tile's row and the padding the whole gap between two rows: the
// layout (4,8):(24,1) is [8:+16], whether its rows were padded by 16 at once, or first to 16 and then by 8.
//
// Law: a form is returned only if it gives exactly the same addresses; otherwise there is none.
#pragma once

#include <optional>
#include <string>

#include "core/analysis/access/tile.h"
#include "core/base/types.h"
#include "core/map/forms/f2.h"
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

// LinearSwizzle: any invertible linear map of the address bits; Sw<B,M,S> is a special case.
//
//     Sw<2,0,3>   a0 ^= a3, a1 ^= a4            offset ^ ((offset >> 3) & 3)
//     here also   a3 ^= a6 ^ a9, a4 ^= a7       found by a solver (solver/prove/synthesize_swizzle.h)
//
// Law: the matrix is invertible, so offsets stay distinct; bits within a vector access are unchanged.

struct LinearSwizzle {
  F2Matrix matrix;   // on element offsets; no columns: no swizzle exists
  std::string none;  // if no swizzle exists: the reason, and the statement that was proved
  [[nodiscard]] bool exists() const { return !matrix.columns.empty(); }
  // The bits of an offset above the matrix's are unchanged.
  [[nodiscard]] i64 operator()(i64 offset) const;
};

// "a3 ^= a6 ^ a9, a4 ^= a7"; rows that do not update their own bit: "a3 = a5, a5 = a3". "nothing" for the identity.
[[nodiscard]] std::string print(const LinearSwizzle& swizzle);
// "int offset = row * 64 + column; offset ^= (offset >> 3) & 0x38; ...": runs of bits with one distance share a
// statement.
[[nodiscard]] std::string cudaIndexCode(const LinearSwizzle& swizzle, const cute::Layout& layout);

}  // namespace tessera
