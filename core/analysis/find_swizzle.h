// find swizzle: every conflict-free Swizzle<B,M,S>, and every row padding, for all accesses of a tile at once.
//
//     A = (128,64):(64,1) fp16, ldmatrix.x4 loads and 16-byte cp.async stores
//     ->  Sw<3,3,3> o 0 o (128,64):(64,1)      also TMA's 128B mode, Triton's vec = 8, perPhase = 1, maxPhase = 8
//         rows padded to 72, 88, 104 ...       (128,64):(72,1)
//
// The candidates. Let n be the bits of the tile's largest offset, bit_width(span - 1). Tried are the identity and every
//
//     Sw<B,M,S>   B >= 1,  M >= 0,  S of either sign,  |S| >= B,  B + M + |S| <= n
//
// that is all whose source and target bits are bits that the tile's offsets can have. None is left out: each is checked
// by the bank model on every access at every position. What is listed is conflict-free, what is not listed is not, and
// an empty list is a proof that none of them serves.
//
// More bits say nothing new. A source bit beyond n is always 0: a smaller B says the same. Target bits beyond n (S < 0)
// are the upper ones of their run; without them (a smaller B again) each address is what it was, mod 2^n. Runs that were
// contiguous and aligned stay so, and two words that share a bank now did before or lay 2^n apart and more, as words of
// one bank, too; below 128 bytes no two words share a bank. So where a larger swizzle serves, one within n bits does.
//
// Memory. A swizzle permutes the aligned blocks of its period, and the tile may end inside one: (64,32):(64,1) spans
// 4064 elements, and under Sw<3,3,3> its last row ends at 4096. Such a swizzle is as good as any, in a larger
// allocation (never above 2^n elements): `bytes` says how large. Those that need no more than the layout come first.
// Then, simplest first: as it is, fewest bits, a TMA mode before its rivals, S > 0, the shorter shift.
//
// Why S < 0 is tried, too: its source bits lie below the target. Two words of one bank agree in the bank bits, hence in
// every source bit among them, but not in bits within a word: with halves, bit 0 of the offset may well flip a bank, or
// bring two words together. With elements of 4 bytes and more it removes no conflict; it may still mend a torn vector.
//
// Which way an access without .row and .column runs is decided on the swizzled tile, as `prove conflict_free` does.
//
// When there is no answer, `clash` is a smallest set of accesses that no candidate serves together (a minimum hitting
// set of the failures of the candidates that leave the accesses where they are; exact up to four accesses, greedy
// beyond), each with the lanes that collide as it is.
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
#include "core/analysis/swizzle_forms.h"
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
  std::string tma;        // "CU_TENSOR_MAP_SWIZZLE_128B", empty when TMA has no such mode
  std::string triton;     // "#ttg.swizzled_shared<{vec = 8, ...}>", empty when Triton has no such layout
  std::string cuda;       // "int offset = row * 64 + column; offset ^= (offset & 448) >> 3;"
};

struct SwizzleClash {
  TileAccess access;
  std::string spec;  // the instruction, as typed
  std::string text;  // "ldmatrix.x4 at (0,0), phase 0: bank 0 must deliver 8 words: lane 0 at (0,0), ..."
};

struct SwizzleSearch {
  std::vector<SwizzleAnswer> swizzles;  // AsIs first if the layout needs nothing, and then its alternatives
  std::vector<SwizzleAnswer> paddings;
  int candidates = 0;               // swizzles tried, the identity included
  int bits = 0;                     // n above
  i64 bytes = 0;                    // that the layout takes as it is
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

}  // namespace tessera
