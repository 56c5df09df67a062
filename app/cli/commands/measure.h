// tessera measure FILE.graphene: compiles, runs, checks and times the kernels; without a GPU, runs them in the
// emulator.
//
//     ✓ matmul_C on NVIDIA H100 80GB HBM3 (sm_90, driver 12.4): 41.2 us
//         inputs    seed 1, M = 8
//         %C        relative error 0.00031 over 65536 of 1048576 elements; worst %C[3,5]: 1.25 instead of 1.2502
//         roofline  at least 12 us, bound by memory (25.2 MB of memory, 2.15 G operations): 29 % reached
//         matmul_C  128 threads per block, 96 registers, 0 bytes spilled, 16384 bytes of shared memory, ...
//         compiled  for sm_90 by NVRTC 13.0
#pragma once

#include <string>

#include "app/cli/commands.h"
#include "app/engine/measure/measure_program.h"

namespace tessera {

// The program of the options. `text` becomes its text, with the settings; it is what a Diag's place refers to.
[[nodiscard]] Result<MeasureRequest> measureRequest(const MeasureCommandOptions& options, std::string& text);

// The options of a run on this machine: dated now, and stopped by Ctrl-C. `progress` shows its stages.
[[nodiscard]] measure::RunOptions runOptions(double seconds, Progress* progress = nullptr);

[[nodiscard]] std::string jsonOf(const MeasuredProgram& m, const std::string& file);
// Some output was compared with its reference; otherwise nothing counts as right.
[[nodiscard]] bool comparedAny(const MeasuredProgram& m);
// One line: the program, the device and the result.
[[nodiscard]] std::string summaryOf(const MeasuredProgram& m);
// The lines below it.
[[nodiscard]] std::string detailsOf(const MeasuredProgram& m);

}  // namespace tessera
