// Baseline: times a matrix product by cuBLASLt the way run() times a kernel: seeded inputs, comparison, buffer copies,
// events.
//
//     auto lt = runBaseline({.m = 8192, .n = 8192, .k = 8192}, options);    compare lt->time.median with the kernel's
//
// The operands are A, B, C and, with a bias epilogue, bias. The result is checked against the formula of Gemm;
// `options.sizes`, `reference` and `tolerances` are ignored. As with run(), a missing library, or no kernel for the
// product, is a Diag.
#pragma once

#include "solver/measure/device/cublaslt.h"
#include "solver/measure/runner.h"

namespace tessera::measure {

[[nodiscard]] Result<Measurement> runBaseline(const Gemm& gemm, const RunOptions& options);

}  // namespace tessera::measure
