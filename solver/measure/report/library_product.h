// The matrix product that a program computes, as a library call: the baseline of `compare cublas`.
//
//     %C <- MatMul<<<...>>>(%A,%B), A [M,K] and C [M,N] row-major, B [K,N] column-major, M = 64 ...
//     Gemm{64, 64, 32, rowB false, accumulate}       C += A * B is what MatMul means
//
//     %Y <- Spec<...>(%A,%B,%bias) means { %Y[i,j] = relu(%bias[j] + sum(k < 32) %A[i,k] * %B[k,j]) }
//     Gemm{64, 64, 32, epilogue bias + relu}         equations are read by equation_product.h
//
// Returns a Diag, naming the part at fault, unless the program is a single product of whole, dense matrices in global
// memory, with no epilogue or one that the library has.
#pragma once

#include "solver/measure/runner.h"

namespace tessera::measure {

struct LibraryProduct {
  Gemm gemm;
  std::string note;  // how it differs from the program; empty: it does not
};

[[nodiscard]] Result<LibraryProduct> libraryProductOf(const graphene::Program& program,
                                                      const std::vector<Operand>& operands,
                                                      const std::map<std::string, i64>& sizes);

// Baseline: times a matrix product by cuBLASLt the way run() times a kernel: seeded inputs, comparison, buffer copies,
// events.
//
//     auto lt = runBaseline({.m = 8192, .n = 8192, .k = 8192}, options);    compare lt->time.median with the kernel's
//
// The operands are A, B, C and, with a bias epilogue, bias. The result is checked against the formula of Gemm;
// `options.sizes`, `reference` and `tolerances` are ignored. As with run(), a missing library, or no kernel for the
// product, is a Diag.

[[nodiscard]] Result<Measurement> runBaseline(const Gemm& gemm, const RunOptions& options);

}  // namespace tessera::measure
