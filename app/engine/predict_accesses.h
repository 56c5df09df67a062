// predictAccesses: every access to shared memory of a program, or of an instruction over a layout, with what the bank model predicts;
// measured where there is a device, beside a profiler's counters where there is a report.
//
//     auto t = predictAccesses({listing, "", "sm_80", {{"M", 8}}}, options, how);     a row an access: line 14, ldmatrix.x4, 4 of 4
//     auto t = predictAccess("(64,64):(64,1)", "ldmatrix.x4", "fp16", options, how);
//
// Laws: rows are in the order of the text, with its lines. Without a device it is no error: the table says why nothing was measured.
#pragma once

#include <optional>
#include <string>

#include "app/engine/measure_program.h"
#include "solver/measure/predictions.h"

namespace tessera {

struct PredictOptions {
  bool measure = true;                           // where there is a device
  std::string notAsked = "nobody asked for it";  // otherwise
  std::optional<measure::NsightReport> report;
};

// Of the request: listing, spec, architecture, sizes, maxSteps.
[[nodiscard]] Result<PredictionTable> predictAccesses(const MeasureRequest& request, const measure::RunOptions& options,
                                                      const PredictOptions& how = {});
// `layout`: statements, the last one a layout in memory. `type` empty: its own, or fp16.
[[nodiscard]] Result<PredictionTable> predictAccess(const std::string& layout, const std::string& access,
                                                    const std::string& type, const measure::RunOptions& options,
                                                    const PredictOptions& how = {});

// For a picture: predicted only, by a short run of the emulator.
[[nodiscard]] Result<PredictionTable> predictionsOf(const graphene::Listing& listing,
                                                    const std::atomic<bool>* cancel = nullptr);

}  // namespace tessera
