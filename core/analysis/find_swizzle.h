// find swizzle: every conflict-free Swizzle<B,M,S>, and every row padding, for all accesses of a tile at once.
//
//     A = (128,64):(64,1) fp16, ldmatrix.x4 loads and 16-byte cp.async stores
//     ->  Sw<3,3,3> o 0 o (128,64):(64,1)      also TMA's 128B mode, Triton's vec = 8, perPhase = 1, maxPhase = 8
//         rows padded to 72, 88, 104 ...       (128,64):(72,1)
//
// The search is exhaustive over B + M + |S| within the tile's bits, S >= B, and each candidate is checked by the bank
// model on every access at every position of the tile: what is listed is conflict-free, what is not listed is not.
// Simplest first: as it is, then fewest bits, a TMA mode before its rivals, then the shorter shift.
//
// Why S > 0 only: with S < 0 the source bits lie below the target. Two words that share a bank agree in every bit of
// the bank number and below, hence in the source bits of any flip that could change the bank: they keep sharing. A
// negative shift removes no conflict. Why not beyond the tile's bits:
// those source bits are always 0, a smaller B says the same.
//
// When there is no answer, `clash` is a smallest set of accesses that no candidate serves together (a minimum hitting
// set of the candidates' failures; exact up to four accesses, greedy beyond),
// each with the lanes that collide as it is.
//
// What it is not: a synthesis of arbitrary F2-linear swizzles; that is solver/prove's.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/access.h"
#include "core/base/result.h"
#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"

namespace tessera {

struct SwizzleAnswer {
  enum class Kind : unsigned char { AsIs, Swizzled, Padded };
  Kind kind = Kind::AsIs;
  cute::Swizzle swizzle;  // Swizzled: on element offsets
  cute::Layout layout;    // the inner layout; Padded: with the new pitch
  i64 padding = 0;        // Padded: elements added to each row
  std::string cute;       // "Sw<3,3,3> o 0 o (128,64):(64,1)"
  std::string tma;        // "CU_TENSOR_MAP_SWIZZLE_128B", or why there is none: empty
  std::string triton;     // "#ttg.swizzled_shared<{vec = 8, ...}>", empty when Triton has no such layout
  std::string cuda;       // "int offset = row * 64 + column; offset ^= (offset & 448) >> 3;"
};

struct SwizzleClash {
  TileAccess access;
  std::string spec;  // the instruction, as typed
  std::string text;  // "ldmatrix.x4 at (0,0), phase 0: bank 0 must deliver 8 words: lane 0 at (0,0), ..."
};

struct SwizzleSearch {
  std::vector<SwizzleAnswer> swizzles;  // AsIs first if the layout needs nothing
  std::vector<SwizzleAnswer> paddings;
  int candidates = 0;               // swizzles tried, the identity included
  std::vector<SwizzleClash> clash;  // when no swizzle serves all accesses
  bool clashIsSmallest = true;      // false: greedy
};

struct SwizzleSearchOptions {
  bool paddings = true;
  i64 maxPaddingBytes = 128;
  const std::atomic<bool>* cancel = nullptr;  // set from another thread: the search ends with a Diag
  std::function<void(int tried, int of)> onCandidate = {};
};

// Requires a plain layout of rank 1 or 2 (or more: stages) and at least one access to shared memory. A Diag when an
// access cannot touch the tile in any candidate (element size, tile size).
[[nodiscard]] Result<SwizzleSearch> findSwizzle(const cute::Layout& layout, int elementBits,
                                                std::span<const AccessSpec> specs,
                                                const SwizzleSearchOptions& options = {});

// The pieces of an answer, for a swizzle that somebody already has.
// rowPitch: elements from one row (of the contiguous dimension) to the next.
[[nodiscard]] std::optional<std::string> tmaSwizzleMode(const cute::Swizzle& onElements, int elementBits, i64 rowPitch);
[[nodiscard]] std::optional<std::string> tritonSwizzle(const cute::Swizzle& onElements, i64 rowPitch, bool rowMajor);
[[nodiscard]] std::string cudaIndexCode(const cute::Swizzle& onElements, const cute::Layout& layout);

}  // namespace tessera
