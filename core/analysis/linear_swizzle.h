// LinearSwizzle: any invertible linear map of the address bits, of which Sw<B,M,S> is the regular case.
//
//     Sw<2,0,3>   a0 ^= a3, a1 ^= a4            offset ^ ((offset >> 3) & 3)
//     here also   a3 ^= a6 ^ a9, a4 ^= a7       whatever a solver found; solver/prove/synthesize_swizzle.h finds them
//
// Law: the matrix is invertible, so offsets stay distinct; bits that a vector access needs together are left alone.
#pragma once

#include <string>

#include "core/base/types.h"
#include "core/map/f2.h"
#include "core/notation/cute/layout.h"

namespace tessera {

struct LinearSwizzle {
  F2Matrix matrix;   // on element offsets; no columns: there is none
  std::string none;  // then: why, and what was shown
  [[nodiscard]] bool exists() const { return !matrix.columns.empty(); }
  // Offsets beyond the matrix's bits keep their high part.
  [[nodiscard]] i64 operator()(i64 offset) const;
};

// "a3 ^= a6 ^ a9, a4 ^= a7"; rows that are no update of their own bit: "a3 = a5, a5 = a3". "nothing" for the identity.
[[nodiscard]] std::string print(const LinearSwizzle& swizzle);
// "int offset = row * 64 + column; offset ^= (offset >> 3) & 0x38; ...": runs of bits with one distance share a line.
[[nodiscard]] std::string cudaIndexCode(const LinearSwizzle& swizzle, const cute::Layout& layout);

}  // namespace tessera
