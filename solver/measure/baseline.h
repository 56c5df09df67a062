// Baseline: a matrix product by cuBLASLt, measured as a kernel is: the same inputs of a seed, comparison, copies and events.
//
//     auto lt = runBaseline({.m = 8192, .n = 8192, .k = 8192}, options);    lt->time.median, beside that of the kernel
//
// Operands are A, B, C and, where the epilogue has one, bias; `options.sizes`, `reference` and `tolerances` are not asked for: it is
// held to the formula of Gemm. The same laws as run(): no library or no kernel for the product is a Diag.
#pragma once

#include "solver/measure/cublaslt.h"
#include "solver/measure/runner.h"

namespace tessera::measure {

[[nodiscard]] Result<Measurement> runBaseline(const Gemm& gemm, const RunOptions& options);

}  // namespace tessera::measure
