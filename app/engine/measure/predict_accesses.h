// predictAccesses: every shared-memory access of a program, or of an instruction over a layout, with the bank model's
// prediction; also measured if there is a device, and compared with a profiler's counters if there is a report.
//
//     auto t = predictAccesses({listing, "", "sm_80", {{"M", 8}}}, options, how);   a row: line 14, ldmatrix.x4, 4 of 4
//     auto t = predictAccess("(64,64):(64,1)", "ldmatrix.x4", "fp16", options, how);
//
// Laws: rows are in text order, with lines. A missing device is no error: the table says why nothing was measured.
#pragma once

#include <optional>
#include <string>

#include "app/engine/measure/measure_program.h"
#include "solver/measure/predictions.h"

namespace tessera {

struct PredictOptions {
  bool measure = true;                     // if there is a device
  std::string notAsked = "not requested";  // reason for not measuring
  std::optional<measure::NsightReport> report;
};

// Uses listing, spec, architecture, sizes and maxSteps of the request.
[[nodiscard]] Result<PredictionTable> predictAccesses(const MeasureRequest& request, const measure::RunOptions& options,
                                                      const PredictOptions& how = {});
// `layout`: statements, the last one a layout in memory. Empty `type`: the layout's own, or fp16.
[[nodiscard]] Result<PredictionTable> predictAccess(const std::string& layout, const std::string& access,
                                                    const std::string& type, const measure::RunOptions& options,
                                                    const PredictOptions& how = {});

// For a picture: predictions only, from a short run of the emulator.
[[nodiscard]] Result<PredictionTable> predictionsOf(const graphene::Listing& listing,
                                                    const std::atomic<bool>* cancel = nullptr);

}  // namespace tessera
