// TMA: the legality rules of a tensor map's box, and its swizzle modes.
//
// One thread asks the copy engine for a box of a tensor of up to 5 dimensions; in shared memory the box is dense, its
// innermost dimension a line, with 16-byte chunks xored by the swizzle mode:
//
//     mode   byte swizzle   lines           chunk c of line r goes to
//     32B    Sw<1,4,3>      32 bytes        c ^ ((r/4) % 2)
//     64B    Sw<2,4,3>      64 bytes        c ^ ((r/2) % 4)
//     128B   Sw<3,4,3>      128 bytes       c ^ (r % 8)         row 1 of a 128-byte box: 1 0 3 2 5 4 7 6
//     128B_ATOM_32B  Sw<2,5,2>: the same over 32-byte pairs, (r/1) % 4
//
// Law: chunk c of line r lands at swizzle(r * lineBytes + 16 c), for the lineBytes of the mode.
// Sections: CUDA Driver API, cuTensorMapEncodeTiled;
// PTX ISA, Tensor swizzling modes; CuTe copy_traits_sm90_tma_swizzle.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/notation/cute/swizzle.h"

namespace tessera {

struct TmaSwizzleMode {
  std::string name;  // "NONE" "32B" "64B" "128B" "128B_ATOM_32B" "128B_ATOM_64B"
  std::string bits;  // CuTe's SmemSwizzleBits: "DISABLE" "B32" "B64" "B128"
  std::string base;  // and SmemSwizzleBase: "16B" "32B" "64B"
  cute::Swizzle onBytes;
  i64 lineBytes = 16;      // inner box bytes may not exceed it (NONE: no limit)
  i64 patternBytes = 128;  // shared memory must start at a multiple of it
  bool operator==(const TmaSwizzleMode&) const = default;
};
[[nodiscard]] const std::vector<TmaSwizzleMode>& tmaSwizzleModes();
// The mode whose byte swizzle this is; the Diag lists the modes.
[[nodiscard]] Result<TmaSwizzleMode> tmaSwizzleMode(const cute::Swizzle& onBytes);
// "128B", "CU_TENSOR_MAP_SWIZZLE_128B".
[[nodiscard]] Result<TmaSwizzleMode> tmaSwizzleMode(std::string_view name);
// Where 16-byte chunk c of line r lies within its line. Requires 0 <= c < lineBytes / 16.
[[nodiscard]] i64 tmaChunk(const TmaSwizzleMode& mode, i64 line, i64 chunk);

// A tiled tensor map, innermost dimension first, as cuTensorMapEncodeTiled takes it.
struct TmaBox {
  int elementBits = 16;
  std::vector<i64> globalExtents;
  std::vector<i64> globalStrideBytes;  // rank - 1 values: dimension 1 ...
  std::vector<i64> box;
  std::vector<i64> elementStrides;  // empty: all 1
  TmaSwizzleMode swizzle;
  i64 globalAddress = 0, sharedAddress = 0;
};
// Ok, or the first rule that is broken, with the numbers and what would fit.
[[nodiscard]] Result<void> checkTmaBox(const TmaBox& box);
[[nodiscard]] i64 boxBytes(const TmaBox& box);  // shared memory the box takes, and the barrier's expected bytes

}  // namespace tessera
