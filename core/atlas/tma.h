// TMA: the legality rules of a tensor map's box, and its swizzle modes.
//
// One thread requests a box of a tensor of up to 5 dimensions from the copy engine; in shared memory the box is dense,
// its innermost dimension a line, with chunks xored by the swizzle mode:
//
//     mode   byte swizzle   lines           16-byte chunk c of line r is written to
//     32B    Sw<1,4,3>      32 bytes        c ^ ((r/4) % 2)
//     64B    Sw<2,4,3>      64 bytes        c ^ ((r/2) % 4)
//     128B   Sw<3,4,3>      128 bytes       c ^ (r % 8)         row 1 of a 128-byte box: 1 0 3 2 5 4 7 6
//     128B_ATOM_32B  Sw<2,5,2>: the same over 32-byte pairs, c ^ 2 (r % 4)
//     128B_ATOM_64B  Sw<1,6,1>: the same over 64-byte halves, c ^ 4 (r % 2)
//
// Law: within each span of L bytes the chunk of A bytes at byte x is swapped with the one whose number differs by (x /
// 128) % (L / A); for the mode's (L, A) this is its byte swizzle, and no other Sw<B,M,S> is equal to it. So chunk c of
// line r is written to swizzle(r * lineBytes + 16 c). CuTe accepts Swizzle<2,6,S> of any S for 128B_ATOM_64B; those
// move bytes out of their 128-byte span, which the mode never does, so none of them equals it.
//
// 4- and 6-bit elements are transferred in groups of sixteen. 16U4_ALIGN8B keeps them packed; 16U4_ALIGN16B and
// 16U6_ALIGN16B spread each group over 16 bytes of shared memory, one byte per element. Sections: CUDA Driver API,
// cuTensorMapEncodeTiled; PTX ISA, Tensor swizzling modes; CuTe copy_traits_sm90_tma_swizzle.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/notation/cute/swizzle.h"

namespace tessera {

struct TmaSwizzleMode {
  std::string name;        // "NONE" "32B" "64B" "128B" "128B_ATOM_32B" "128B_ATOM_32B_FLIP_8B" "128B_ATOM_64B"
  std::string bits;        // CuTe's SmemSwizzleBits: "DISABLE" "B32" "B64" "B128"
  std::string base;        // and SmemSwizzleBase: "16B" "32B" "64B"
  cute::Swizzle onBytes;   // where 16-byte chunks go; FLIP_8B also swaps the halves of a chunk in odd rows
  i64 lineBytes = 16;      // limit on the inner box bytes (NONE: no limit)
  i64 patternBytes = 128;  // shared memory must start at a multiple of it
  bool operator==(const TmaSwizzleMode&) const = default;
};
[[nodiscard]] const std::vector<TmaSwizzleMode>& tmaSwizzleModes();
// The same for a swizzle on elements: Sw<3,3,3> on 16-bit elements is Sw<3,4,3> on bytes.
[[nodiscard]] Result<TmaSwizzleMode> tmaSwizzleMode(const cute::Swizzle& onElements, int elementBits);
// "128B", "CU_TENSOR_MAP_SWIZZLE_128B".
[[nodiscard]] Result<TmaSwizzleMode> tmaSwizzleMode(std::string_view name);
// The place of 16-byte chunk c of line r within its line. Requires 0 <= c < lineBytes / 16.
[[nodiscard]] i64 tmaChunk(const TmaSwizzleMode& mode, i64 line, i64 chunk);

// A tensor map's element type: 16U4_ALIGN16B is {4, true}, FLOAT16 {16, false}.
struct TmaElement {
  int bits = 16;
  bool padded = false;  // sixteen elements take 16 bytes of shared memory; always for 6 bits
  bool operator==(const TmaElement&) const = default;
};
// The driver's data types, "16U4_ALIGN16B" or "CU_TENSOR_MAP_DATA_TYPE_FLOAT16", and the atlas's element types.
[[nodiscard]] Result<TmaElement> tmaElement(std::string_view name);
// An element of that many bits, packed if possible.
[[nodiscard]] Result<TmaElement> tmaElement(i64 bits);

inline constexpr i64 kSharedBytesOfBlock = 227 * 1024;  // limit per block on sm_90 and sm_100

// A tiled tensor map, innermost dimension first, as for cuTensorMapEncodeTiled; not interleaved.
struct TmaBox {
  TmaElement element;
  std::vector<i64> globalExtents;
  std::vector<i64> globalStrideBytes;  // rank - 1 values: dimension 1 ...
  std::vector<i64> box;
  std::vector<i64> elementStrides;  // empty: all 1
  TmaSwizzleMode swizzle;
  i64 globalAddress = 0, sharedAddress = 0;
  bool operator==(const TmaBox&) const = default;
};
enum class TmaField : unsigned char { Element, Extents, Strides, Box, Swizzle, Address };
struct TmaFault {
  TmaField field;
  Diag diag;  // the rule, with the numbers and what would fit
};
// The first violated rule; nullopt for a legal box. Beyond the driver's own checks: the tensor does not overlap itself
// (each stride is at least the span of the dimension with the next smaller stride, in any order of dimensions), and the
// box fits a block's shared memory.
[[nodiscard]] std::optional<TmaFault> tmaFault(const TmaBox& box);
[[nodiscard]] i64 boxBytes(const TmaBox& box);  // shared memory of a legal box

}  // namespace tessera
