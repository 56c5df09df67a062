// tessera_host.h: CUDA C++ of `tessera codegen`, compiled and run by any C++17 compiler. No GPU, no toolkit.
//
//     #include "kernel.cu"                                   // includes this header where no CUDA compiler is at work
//     std::string wrong = tessera::host::launch(64, 256, [&] { C_MatMul(A, B, C); });
//
// A block is its threads, each with a stack of its own; blocks run one after another. A thread runs until it comes to a
// barrier or to something that a warp does together, and waits there for the others; what never ends is reported by
// name of thread and place. Shared memory is poisoned before every block, so is the place that a cp.async is on its way to.
//
//     host_numbers.h   half, bfloat16, fp8: rounded once, to nearest even; __hfma, __float2half, hexp ...
//     host_threads.h   threadIdx, __syncthreads, __shfl_xor_sync, launch
//     host_matrix.h    ldmatrix, stmatrix, mma, cp.async: every function of the prelude (core/codegen/prelude.h)
//     host_warpgroup.h wgmma and its descriptors
//     host_bulk.h      mbarrier and TMA
//
// Law: what a kernel computes does not depend on `order`, the order in which threads are run between barriers; where it
// does, the kernel has a race.
//
// What it is not: fast, or a check of addresses: tests put canaries around what kernels write.
//
// Source: CUDA C++ Programming Guide; PTX ISA 9.7.9 and 9.7.14, from whose formulas the fragments are written, on purpose
// without the tables that the text was generated from.
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
// All of a kernel's shared memory lies in one section, so that launch() finds it.
#define __shared__ static __attribute__((section("tessera_shared")))
#ifndef __restrict__
#define __restrict__ __restrict
#endif

#include "host_numbers.h"
// What follows waits for other threads.
#include "host_threads.h"
// What follows is what a warp does together.
#include "host_matrix.h"
// What four warps do, and what arrives later.
#include "host_warpgroup.h"
// What arrives at barriers that count.
#include "host_bulk.h"
