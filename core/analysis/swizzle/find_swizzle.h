// find swizzle: every conflict-free Swizzle<B,M,S>, and every row padding, for all accesses of a tile at once.
//
//     A = (128,64):(64,1) fp16, ldmatrix.x4 loads and 16-byte cp.async stores
//         Sw<3,3,3> o 0 o (128,64):(64,1)      CU_TENSOR_MAP_SWIZZLE_128B
//         rows padded to 72, 88, 104 ...       (128,64):(72,1)
//
// Candidates: the identity and, with n = bit_width(span - 1), the bits of the tile's largest offset, every
//
//     Sw<B,M,S>   B >= 1,  M >= 0,  S of either sign,  |S| >= B,  B + M + |S| <= n
//
// that is, all whose source and target bits are bits of the tile's offsets. The bank model checks each on every access
// at every position, so the list is complete: an empty list proves that no candidate is conflict-free.
//
// More bits add nothing. A source bit beyond n is always 0, so a smaller B is equivalent. Target bits beyond n (S < 0)
// are the upper ones of their run; without them (a smaller B again) each address is unchanged mod 2^n. Runs that were
// contiguous and aligned stay so, and two words that now share a bank did before, or were 2^n or more apart, as words
// of one bank too; below 128 bytes no two words share a bank. So if a larger swizzle works, one within n bits does.
//
// Memory: a swizzle permutes the aligned blocks of its period, and the tile may end inside one: (64,32):(64,1) spans
// 4064 elements, and under Sw<3,3,3> its last row ends at 4096. Such a swizzle is valid in a larger allocation (never
// above 2^n elements): `bytes` gives its size. Those that need only the layout's size come first. Then, simplest first:
// unchanged, fewest bits, a TMA mode before others, S > 0, the shorter shift.
//
// Why S < 0 is tried too: its source bits are below the target. Two words of one bank agree in the bank bits, hence in
// every source bit among them, but not in bits within a word: with halves, bit 0 of the offset may flip a bank, or
// bring two words together. With elements of 4 bytes or more it removes no conflict, but it may still repair a torn
// vector.
//
// The direction of an access without .row and .column is decided on the swizzled tile, as in `prove conflict_free`.
//
// If there is no answer, `clash` is a smallest set of accesses that no candidate serves together (a minimum hitting set
// of the failures of the candidates that keep the accesses' directions; exact up to four accesses, greedy beyond), each
// with the lanes that collide in the unswizzled layout.
//
// Not a synthesis of arbitrary F2-linear swizzles; see solver/prove.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/access/access.h"
#include "core/analysis/swizzle/swizzle_forms.h"
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
  i64 bytes = 0;          // of memory, from offset 0 to the end of the last element
  std::string cute;       // "Sw<3,3,3> o 0 o (128,64):(64,1)"
  std::string tma;        // "CU_TENSOR_MAP_SWIZZLE_128B"; empty: TMA has no such mode
  std::string triton;     // "#ttg.swizzled_shared<{vec = 8, ...}>"; empty: Triton has no such layout
  std::string cuda;       // "int offset = row * 64 + column; offset ^= (offset & 448) >> 3;"
};

struct SwizzleClash {
  TileAccess access;
  std::string spec;  // the instruction, as typed
  std::string text;  // "ldmatrix.x4 at (0,0), phase 0: bank 0 must deliver 8 words: lane 0 at (0,0), ..."
};

struct SwizzleSearch {
  std::vector<SwizzleAnswer> swizzles;  // AsIs first if the layout needs no change, then its alternatives
  std::vector<SwizzleAnswer> paddings;
  int candidates = 0;               // swizzles tried, the identity included
  int bits = 0;                     // n above
  i64 bytes = 0;                    // size of the unchanged layout
  std::vector<SwizzleClash> clash;  // if no swizzle serves all accesses
  bool clashIsSmallest = true;      // false: greedy
};

struct SwizzleSearchOptions {
  bool paddings = true;
  i64 maxPaddingBytes = 128;
  const std::atomic<bool>* cancel = nullptr;  // set from another thread: the search then ends with a Diag
  std::function<void(int tried, int of)> onCandidate = {};
};

// Requires a plain layout of rank 1 or 2 (or more: stages) and at least one access to shared memory. A Diag if an
// access does not fit the tile in any candidate (element size, tile size).
[[nodiscard]] Result<SwizzleSearch> findSwizzle(const cute::Layout& layout, int elementBits,
                                                std::span<const AccessSpec> specs,
                                                const SwizzleSearchOptions& options = {});

// find swizzle for A where ...: the question and every answer.
struct SwizzleFinding {
  cute::Layout layout;
  int elementBits = 16;
  std::vector<AccessSpec> specs;
  SwizzleSearch search;
  // by z3: one F2-linear swizzle, or (no pieces, a reason) the proof that none exists.
  std::optional<LinearSwizzle> linear;
};
// The answers as text: one line each, simplest first; or the conflict.
[[nodiscard]] std::string print(const SwizzleFinding& finding);

}  // namespace tessera
