// Waste: the memory traffic of a module's kernels beyond the distinct bytes that they need.
//
//     %r = f32[1000,1000] x + transpose(x), one kernel        needed  4,000,000 bytes of x, each element read twice
//                                                              asked  1,125,000 sectors of 32 bytes = 36 MB: 9 times
//
// `asked` is the size of all sectors (warp_reads.h) that the kernel's threads or blocks request, if it runs as planned
// (plan.h), without caches: a bound on the traffic between caches and lanes, not on off-chip traffic. If the warps'
// reads are unknown, it is the bytes of all reads; of a library kernel, it is what is needed. It includes both kinds of
// waste: elements that are read repeatedly, and sectors that are mostly unused.
//
// Not a time (roofline.h): it shows which fusion to examine first.
//
// Laws: needed = number of distinct elements times their size; asked >= needed if all reads are exact; kernels are
// sorted by wasted bytes times runs, most first, then in text order; equal structures (structure.h) have equal waste.
#pragma once

#include <memory>
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
  std::string why = {};                        // why it is unknown or not exact

  // Average number of reads per distinct element; 1 if unknown.
  [[nodiscard]] double times() const;
  [[nodiscard]] i64 wasted() const { return needed && asked && *asked > *needed ? *asked - *needed : 0; }
};

struct KernelWaste {
  Where where;
  std::string plan = {};  // "a loop over the output"
  std::vector<OperandWaste> operands = {};
  std::string why = {};   // why nothing is known: it ran out of time
  i64 runs = 1;           // of the kernel in one run of the module: the trips of the loops around it
  bool runsKnown = true;  // false: the trips of some loop are not known, and it counts once

  // Of one run.
  [[nodiscard]] i64 needed() const;
  [[nodiscard]] i64 asked() const;
  [[nodiscard]] i64 wasted() const;
  // wasted() times runs; INT64_MAX if it is larger.
  [[nodiscard]] i64 wastedInAll() const;
};

// Whether an instruction runs as a kernel, where its computation runs: not parameters, tuples, bitcasts, loops.
[[nodiscard]] bool isKernel(const Instruction& instruction);
// For one instruction; nullopt if it reads no memory itself.
[[nodiscard]] std::optional<KernelWaste> wasteOf(const Module& module, Where where);

struct Ranking {
  std::vector<KernelWaste> kernels;
  std::string why = {};     // why it is not complete: interrupted, out of budget
  std::size_t missing = 0;  // instructions that were not examined
};
// Every kernel: instructions of the entry computation and of the computations that it runs, but not fused or applied
// ones. Each structure is examined once, for at most `secondsEach`. If the caller's WorkBudget ends, or the user
// interrupts, the ranking has what was examined until then.
[[nodiscard]] Ranking rankingOf(const Module& module, double secondsEach = 1e9);
// The same within 5 s of work, examined once for a module and kept with it: all pictures of a module show one ranking,
// and only the first of them waits for it. Never null.
[[nodiscard]] std::shared_ptr<const Ranking> keptRanking(const Module& module);

// a * b and a + b; INT64_MAX if the result is larger. Both must be >= 0.
[[nodiscard]] i64 timesAtMost(i64 a, i64 b);
[[nodiscard]] i64 plusAtMost(i64 a, i64 b);

// How often each computation runs as kernels in one run of the module; 0: it does not.
struct Runs {
  i64 times = 0;
  bool known = true;
};
[[nodiscard]] std::vector<Runs> runsOf(const Module& module);

// "36 MB requested for 4 MB (9 times)"; "64 B read, nothing requested twice"
[[nodiscard]] std::string textOf(const KernelWaste& kernel);
[[nodiscard]] std::string bytesText(i64 bytes);  // "4.19 MB", "512 B"

}  // namespace tessera::hlo
