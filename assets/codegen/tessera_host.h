// tessera_host.h: compiles and runs the CUDA C++ of `tessera codegen` with any C++17 compiler. No GPU, no toolkit.
//
//     #include "kernel.cu"                                   // includes this header unless compiled by a CUDA compiler
//     std::string wrong = tessera::host::launch(64, 256, [&] { C_MatMul(A, B, C); });
//
// The threads of a block each have a stack; blocks run in sequence. A thread runs until a barrier or a joint
// instruction of its warp and waits there for the others; a deadlock is reported with a thread and a place. Shared
// memory is poisoned before every block, and so is the destination of a cp.async in flight.
//
//     host_numbers.h   half, bfloat16, fp8: rounded once, to nearest even; __hfma, __float2half, hexp ...
//     host_threads.h   threadIdx, __syncthreads, __shfl_xor_sync, launch
//     host_matrix.h    ldmatrix, stmatrix, mma, cp.async: every function of the prelude (core/codegen/kernel/prelude.h)
//     host_warpgroup.h wgmma and its descriptors
//     host_bulk.h      mbarrier and TMA
//
// Law: a kernel's result does not depend on `order`, the order in which threads run between barriers; if it does, the
// kernel has a race.
//
// Not fast, and no check of addresses: tests put canaries around what kernels write.
//
// Source: CUDA C++ Programming Guide; PTX ISA 9.7.9 and 9.7.14. The fragments follow their formulas, deliberately not
// the tables that the text is generated from.
#pragma once
#pragma GCC system_header

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define __host__
#define __device__
#define __global__
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__
// All shared memory of a kernel is in one section, so that launch() finds it.
#define __shared__ static __attribute__((section("tessera_shared")))
#ifndef __restrict__
#define __restrict__ __restrict
#endif

#include "host_numbers.h"
// Functions that wait for other threads.
#include "host_threads.h"
// Joint instructions of a warp.
#include "host_matrix.h"
// Joint instructions of four warps, and asynchronous products.
#include "host_warpgroup.h"
// Arrivals at barriers that count.
#include "host_bulk.h"
