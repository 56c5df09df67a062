// The matrix product that a program states, as the library computes it: what `compare cublas` sets beside a kernel.
//
//     %C <- MatMul<<<...>>>(%A,%B), A [M,K] and C [M,N] row-major, B [K,N] column-major, M = 64 ...
//     Gemm{64, 64, 32, rowB false, accumulate}       C += A * B is what MatMul means
//
// A Diag: the program is no single product of matrices that lie whole and plain in global memory; the reason says which part is not.
#pragma once

#include "core/graphene/program.h"
#include "solver/measure/cublaslt.h"
#include "solver/measure/operand.h"

namespace tessera::measure {

[[nodiscard]] Result<Gemm> libraryProductOf(const graphene::Program& program, const std::vector<Operand>& operands);

}  // namespace tessera::measure
