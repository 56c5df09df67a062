// Rows of a comparison table, from what was measured or emulated.
//
//     ComparisonTable t = headOf("gemm", measurement);
//     t.rows = {rowOf(measurement, RowKind::Kernel, "gemm"), rowOf(cublas, RowKind::Library, "cuBLASLt"), rooflineRow(measurement)};
//
// Law: a row has a time only where something was timed; the emulator's counts only where it ran to its end.
#pragma once

#include "solver/measure/comparison.h"
#include "solver/measure/emulated.h"
#include "solver/measure/runner.h"

namespace tessera::measure {

[[nodiscard]] ComparisonTable headOf(const std::string& program, const Measurement& m);
[[nodiscard]] ComparisonTable headOf(const std::string& program, const Emulated& e, const std::string& noDevice);
[[nodiscard]] ComparisonRow rowOf(const Measurement& m, RowKind kind, const std::string& name,
                                  const std::string& settings = "");
[[nodiscard]] ComparisonRow rowOf(const Emulated& e, RowKind kind, const std::string& name,
                                  const std::string& settings = "");
// The best possible time as a row: "bound by memory". Nothing where the device is not known.
[[nodiscard]] std::optional<ComparisonRow> rooflineRow(const Measurement& m);
// What was not run, and why.
[[nodiscard]] ComparisonRow missingRow(RowKind kind, const std::string& name, const std::string& why,
                                       const std::string& settings = "");

}  // namespace tessera::measure
