// Transfer: what it costs a block to move a tensor between registers and shared memory.
//
//     128x64 x f16, #blocked<sizePerThread = [1, 8], ..>, rows of 128 bytes under a swizzle of 128 bytes
//         width 16 bytes, 16 accesses per warp .., wavefronts 128, ideal 128
//
// A thread moves vectors: the widest run of registers, at most 16 bytes, whose elements are consecutive in memory, in
// any order of the registers. Elements of 16 bits whose columns are consecutive for lanes move as matrices, transposed
// (ldmatrix.trans, stmatrix.trans). Copies of an element in other registers are not moved twice; copies in other lanes
// use the same address, which costs nothing.
//
//     wavefronts = sum over warps and accesses (core/analysis/memory/banks.h)
//     ideal      = sum over warps of ceil(distinct bytes of the warp / 128)
//
// Law: wavefronts >= ideal. The wavefronts of a padded layout are counted access by access; those of a linear one by
// the first, because an exclusive or of all addresses permutes the banks.
// It is not a model of a compiler's choice of instructions beyond this, and only for warps of 32 lanes.
#pragma once

#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/notation/linear/layout.h"

namespace tessera {

// The place of each element in shared memory.
struct SharedPlaces {
  linear::Layout layout;                       // (offset, block) -> dim0 ..
  std::vector<std::pair<i64, i64>> intervals;  // padding after every `first` elements, as in a padded layout
};

struct Transfer {
  int width = 0;          // bytes of a vector
  bool matrices = false;  // by ldmatrix.trans or stmatrix.trans
  i64 accesses = 0;       // instructions of one warp
  i64 warps = 0;
  i64 wavefronts = 0;
  i64 ideal = 0;
  bool operator==(const Transfer&) const = default;
};

// registers: (register, lane, warp, block) -> dim0 .., with 32 lanes. elementBits: 8, 16, 32 ..
[[nodiscard]] Result<Transfer> transferOf(const linear::Layout& registers, const SharedPlaces& places, int elementBits);

// A layout (offset) -> dim0 .. of a tensor in shared memory through which `from` becomes `to`. Vectors are what both
// sides hold consecutively; the rest is swizzled so that neither side has conflicts, if a linear swizzle can do that:
//
//     V  = span(registers of from) and span(registers of to), at most 16 bytes
//     rows of banks = vectors outside span(V, lanes of from) and outside span(V, lanes of to)
//
// Why: lanes conflict only if their difference is a combination of V and the bits above the banks. Section: Triton,
// lib/Tools/GenericSwizzling.cpp.
[[nodiscard]] Result<linear::Layout> scratchOf(const linear::Layout& from, const linear::Layout& to, int elementBits);

}  // namespace tessera
