// The matrix product that a program states, as the library computes it: what `compare cublas` sets beside a kernel.
//
//     %C <- MatMul<<<...>>>(%A,%B), A [M,K] and C [M,N] row-major, B [K,N] column-major, M = 64 ...
//     Gemm{64, 64, 32, rowB false, accumulate}       C += A * B is what MatMul means
//
//     %Y <- Spec<...>(%A,%B,%bias) means { %Y[i,j] = relu(%bias[j] + sum(k < 32) %A[i,k] * %B[k,j]) }
//     Gemm{64, 64, 32, epilogue bias + relu}         what equations state is read by meant_product.h
//
// A Diag: the program is no single product of matrices that lie whole and plain in global memory, or one with an epilogue that the
// library has not; the reason says which part is not.
#pragma once

#include <map>
#include <string>

#include "core/graphene/program.h"
#include "solver/measure/cublaslt.h"
#include "solver/measure/operand.h"

namespace tessera::measure {

struct LibraryProduct {
  Gemm gemm;
  std::string note;  // in what it is not quite the same; empty: it is
};

[[nodiscard]] Result<LibraryProduct> libraryProductOf(const graphene::Program& program,
                                                      const std::vector<Operand>& operands,
                                                      const std::map<std::string, i64>& sizes);

}  // namespace tessera::measure
