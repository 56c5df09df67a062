// Waste: the memory traffic of a module's kernels beyond the distinct bytes that they need.
//
//     %r = f32[1000,1000] x + transpose(x), one kernel        needed  4,000,000 bytes of x, each element read twice
//                                                              asked  1,125,000 sectors of 32 bytes = 36 MB: 9 times
//
// `asked` is the size of all sectors (warp_reads.h) that the kernel's threads request, if it runs as XLA would plan it
// (thread_map.h), without caches: a bound on the traffic between caches and lanes, not on off-chip traffic. If the
// warps' reads are unknown, it is the bytes of all reads. It includes both kinds of waste: elements that are read
// repeatedly, and sectors that are mostly unused.
//
// Not a time: it shows which fusion to examine first.
//
// Laws: needed = number of distinct elements times their size; asked >= needed if all warps were counted and all reads
// are exact; kernels are sorted by wasted bytes, most first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/hlo/cost/usage.h"
#include "core/hlo/cost/warp_reads.h"

namespace tessera::hlo {

struct OperandWaste {
  int operand = 0;
  std::string name = {};  // "x"
  Soundness soundness = Soundness::Exact;
  Usage usage = {};
  WarpReads warps = {};
  std::optional<i64> needed = {}, asked = {};  // bytes; nullopt: unknown
  bool about = false;                          // `asked` is scaled up from some warps, or some steps are missing
  std::string why = {};                        // why it is unknown or not exact

  // Average number of reads per distinct element; 1 if unknown.
  [[nodiscard]] double times() const;
  [[nodiscard]] i64 wasted() const { return needed && asked && *asked > *needed ? *asked - *needed : 0; }
};

struct KernelWaste {
  Where where;
  std::string plan = {};  // "a loop over the output"
  std::vector<OperandWaste> operands = {};
  std::string why = {};  // why nothing is known: it ran out of time

  [[nodiscard]] i64 needed() const;
  [[nodiscard]] i64 asked() const;
  [[nodiscard]] i64 wasted() const;
  [[nodiscard]] bool about() const;
};

// For one instruction; nullopt if it reads no memory itself: parameters, tuples, bitcasts.
[[nodiscard]] std::optional<KernelWaste> wasteOf(const Module& module, Where where);
// For every kernel: instructions of the entry computation and of the computations that it calls, but not fused or
// applied ones. Examines the first `most` in text order, each for at most `secondsEach` (the caller's WorkBudget
// applies too).
[[nodiscard]] std::vector<KernelWaste> wasteOf(const Module& module, std::size_t most = SIZE_MAX,
                                               double secondsEach = 1e9);

// "36 MB requested for 4 MB (9 times)"; "64 B read, nothing requested twice"
[[nodiscard]] std::string textOf(const KernelWaste& kernel);
[[nodiscard]] std::string bytesText(i64 bytes);  // "4.19 MB", "512 B"

}  // namespace tessera::hlo
