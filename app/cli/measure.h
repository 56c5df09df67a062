// tessera measure FILE.graphene: the kernels compiled, run, checked and timed; without a GPU the emulator's result.
//
//     ✓ matmul_C on NVIDIA H100 80GB HBM3 (sm_90, driver 12.4): 41.2 us
//         inputs    seed 1, M = 8
//         %C        relative error 0.00031 over 65536 of 1048576 elements; worst %C[3,5]: 1.25 instead of 1.2502
//         time      41.2 us (quartiles 41 to 41.5; 20 runs of 3 launches, 4 copies of the buffers)
//         roofline  at least 12 us, bound by memory (25.2 MB of memory, 2.15 G operations): 29 % of it is reached
//         matmul_C  128 threads a block, 96 registers, 0 bytes spilled, 16384 bytes of shared memory, 4 blocks a multiprocessor
//         compiled  for sm_90 by NVRTC 13.0
#pragma once

#include <string>

#include "app/engine/measure_program.h"

namespace tessera {

// "2026-11-22T10:00:00Z"
[[nodiscard]] std::string now();

[[nodiscard]] std::string jsonOf(const MeasuredProgram& m, const std::string& file);
// Some output was held to its reference: without that nothing is called right.
[[nodiscard]] bool comparedAny(const MeasuredProgram& m);
// One line: what ran where, and what came of it.
[[nodiscard]] std::string summaryOf(const MeasuredProgram& m);
// The lines under it.
[[nodiscard]] std::string detailsOf(const MeasuredProgram& m);

}  // namespace tessera
