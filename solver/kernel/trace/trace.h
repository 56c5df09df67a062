// Records one block of a run as steps (core/code/run_trace.h), and how the threads of each finding came to it.
//
//     TraceRequest request{.block = 0, .findings = report->findings};
//     Result<code::RunTrace> trace = traced(module, launch, request);
//     trace->steps[41]          warp 1, its lanes, the instruction, the bytes of each lane
//     trace->meetings[0].at     what thread 33 executed up to the access of finding 0; other: the same of thread 1
//
// The kernel runs again, as it ran when it was checked: a run depends on nothing but its launch. It ends when the block
// and all findings have been seen. A thread that never came to the place of its finding (it returned before a barrier)
// has its whole path. Findings of the prover have no run: they have no meeting, if the values of this
// launch do not lead there.
//
// Lines are those of the PTX text; the caller fills in Instruction::text and the line of the text that it shows.
#pragma once

#include "core/code/run_trace.h"
#include "solver/kernel/kernel.h"

namespace tessera::kernel {

struct TraceRequest {
  i64 block = 0;
  std::vector<Finding> findings;                                        // of a run of this launch
  std::size_t mostSteps = 20'000, mostAccesses = std::size_t{1} << 20;  // that are recorded
};

// Errors: as run(); there is no such block.
[[nodiscard]] Result<code::RunTrace> traced(const ptx::Module& module, const Launch& launch,
                                            const TraceRequest& request);

// The number of a block or of a thread in its block.
[[nodiscard]] i64 linearIn(const std::array<std::uint32_t, 3>& at, const std::array<std::uint32_t, 3>& extents);

}  // namespace tessera::kernel
