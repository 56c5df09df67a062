// Predictions of shared-memory accesses as a table (core/analysis/memory/prediction.h), and their measurement.
//
//     PredictionTable table = predictions(accesses, {"C_MatMul"});     one row per access and number of wavefronts
//     measureRows(table, accesses, options);                           runs micro-kernels (micro.h), or records why not
//
// Laws: the rows' times * wavefronts add up to the emulator's count. Rows follow the order of the accesses, within one
// the costliest first. Measuring changes no prediction. A row agrees if all of its patterns that ran agree; it shows
// the figures of the pattern farthest from its prediction. Without a device the rows stay unfilled and `notMeasured`
// gives the reason.
#pragma once

#include "core/analysis/memory/prediction.h"
#include "solver/measure/predict/micro.h"
#include "solver/measure/predict/nsight.h"
#include "solver/measure/runner.h"

namespace tessera::measure {

// `kernels`: names of the program's kernels; empty for a layout.
[[nodiscard]] PredictionTable predictions(const std::vector<SharedAccess>& accesses,
                                          const std::vector<std::string>& kernels = {});

// Requires: `table` is predictions(accesses, ...). Uses device, seconds, worker, cancel, progress and date of the
// options. Returns a Diag if a device fails; if there is none, the table records that.
[[nodiscard]] Result<void> measureRows(PredictionTable& table, const std::vector<SharedAccess>& accesses,
                                       const RunOptions& options);

// Adds the profiler's counters of every kernel in the report, next to the row totals of the kernel with that name. The
// rows must cover whole launches: if `complete` is false, the emulator stopped early, and no agreement is judged.
void addCounters(PredictionTable& table, const NsightReport& report, bool complete);

}  // namespace tessera::measure
