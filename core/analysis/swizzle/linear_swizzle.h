// LinearSwizzle: any invertible linear map of the address bits; Sw<B,M,S> is a special case.
//
//     Sw<2,0,3>   a0 ^= a3, a1 ^= a4            offset ^ ((offset >> 3) & 3)
//     here also   a3 ^= a6 ^ a9, a4 ^= a7       found by a solver (solver/prove/synthesize_swizzle.h)
//
// Law: the matrix is invertible, so offsets stay distinct; bits within a vector access are unchanged.
#pragma once

#include <string>

#include "core/base/types.h"
#include "core/map/forms/f2.h"
#include "core/notation/cute/layout.h"

namespace tessera {

struct LinearSwizzle {
  F2Matrix matrix;   // on element offsets; no columns: no swizzle exists
  std::string none;  // then the reason, and what was proved
  [[nodiscard]] bool exists() const { return !matrix.columns.empty(); }
  // The bits of an offset above the matrix's are unchanged.
  [[nodiscard]] i64 operator()(i64 offset) const;
};

// "a3 ^= a6 ^ a9, a4 ^= a7"; rows that do not update their own bit: "a3 = a5, a5 = a3". "nothing" for the identity.
[[nodiscard]] std::string print(const LinearSwizzle& swizzle);
// "int offset = row * 64 + column; offset ^= (offset >> 3) &
// 0x38; ...": runs of bits with one distance share a statement.
[[nodiscard]] std::string cudaIndexCode(const LinearSwizzle& swizzle, const cute::Layout& layout);

}  // namespace tessera
