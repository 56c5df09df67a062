// Predictions of accesses to shared memory as a table (core/analysis/prediction.h), and their measurement.
//
//     PredictionTable table = predictions(accesses, {"C_MatMul"});      rows: an access for each number of wavefronts it needs
//     measureRows(table, accesses, options);                            micro-kernels (micro.h) on the device, or why not
//
// Laws: the rows' times * wavefronts add up to what the emulator counts; rows are in the order of the accesses, the costliest first.
// Measuring changes no prediction. A row agrees when all of its patterns that were run do; its numbers are those of the pattern
// that is farthest from its prediction. Without a device nothing is filled in, and `notMeasured` says why.
#pragma once

#include "core/analysis/prediction.h"
#include "solver/measure/micro.h"
#include "solver/measure/nsight.h"
#include "solver/measure/runner.h"

namespace tessera::measure {

// `kernels`: names of the program's kernels; none for a layout.
[[nodiscard]] PredictionTable predictions(const std::vector<SharedAccess>& accesses,
                                          const std::vector<std::string>& kernels = {});

// Requires: `table` is predictions(accesses, ...). Of the options: device, seconds, worker, cancel, progress, date. A Diag where a
// device is there and fails; where there is none the table says so.
[[nodiscard]] Result<void> measureRows(PredictionTable& table, const std::vector<SharedAccess>& accesses,
                                       const RunOptions& options);

// The profiler's counters of every kernel of the report, beside the totals of the rows of that name. Requires rows of whole
// launches: `complete` is false where the emulator was stopped, and then nothing is judged.
void addCounters(PredictionTable& table, const NsightReport& report, bool complete);

}  // namespace tessera::measure
