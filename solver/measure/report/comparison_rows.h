// Rows of a comparison table, from measurements or emulator runs.
//
//     ComparisonTable t = headOf("gemm", measurement);
//     t.rows = {rowOf(measurement, RowKind::Kernel, "gemm"), rowOf(cublas, RowKind::Library, "cuBLASLt"),
//               rooflineRow(measurement)};
//
// Law: a row has a time only if something was timed, and emulator counts only if the emulator ran to the end.
#pragma once

#include "solver/measure/emulated.h"
#include "solver/measure/report/comparison.h"

namespace tessera::measure {

[[nodiscard]] ComparisonTable headOf(const std::string& program, const Measurement& m);
[[nodiscard]] ComparisonTable headOf(const std::string& program, const Emulated& e, const std::string& noDevice);
[[nodiscard]] ComparisonRow rowOf(const Measurement& m, RowKind kind, const std::string& name,
                                  const std::string& settings = "");
[[nodiscard]] ComparisonRow rowOf(const Emulated& e, RowKind kind, const std::string& name,
                                  const std::string& settings = "");
// The best possible time as a row: "bound by memory". nullopt if the device is unknown.
[[nodiscard]] std::optional<ComparisonRow> rooflineRow(const Measurement& m);
// A row for something that did not run, with the reason.
[[nodiscard]] ComparisonRow missingRow(RowKind kind, const std::string& name, const std::string& why,
                                       const std::string& settings = "");

}  // namespace tessera::measure
