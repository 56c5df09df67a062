// ptx_run: the generated kernels as NVRTC compiles them, run on the CPU as PTX (solver/kernel).
//
//     auto module = ptxOf(source);                    the PTX of all kernels, for source.architecture
//     auto run = runPtx(*module, launches, inputs);   each launch on the buffers that the one before left
//     run->verdict                                    clean, or the worst finding of any launch
//     inputs.result(2, 5)                             element 5 of the third operand, as a device would leave it
//
// It is a second opinion on the emulator (emulated.h): that one runs the program, this one what the compiler made of
// the generated text. The two share no code but the counts of wavefronts and sectors and the number formats.
//
// Law: without findings and without inexact instructions (`bounds`), compiled with "--fmad=false", the results are
// those of the emulator to the last bit (tests/kernel/gallery_test.cpp).
#pragma once

#include "solver/emulate/counts.h"
#include "solver/kernel/kernel.h"
#include "solver/measure/reference/compare.h"
#include "solver/measure/runner.h"

namespace tessera::measure {

// The PTX of generated kernels. `extra`: options of NVRTC. A Diag: there is no NVRTC, it rejects the text, or the PTX
// cannot be read.
struct PtxText {
  ptx::Module module;
  std::string text;
  std::string by;  // "NVRTC 13.0"
};
[[nodiscard]] Result<PtxText> ptxOf(const codegen::CudaSource& source, const std::vector<std::string>& extra = {});

// The Graphene statement that a place of the PTX comes from (Point::location); empty: unknown, or none. Requires: the
// PTX was compiled with "--generate-line-info".
[[nodiscard]] Span statementOf(const ptx::Module& module, const codegen::CudaSource& source, int location);

// What the launches of a run share.
struct PtxRun {
  kernel::Verdict verdict = kernel::Verdict::Clean;
  std::string finding;                  // the first one of that verdict, or why it is unknown; empty: clean
  std::vector<kernel::Report> reports;  // by launch, without buffers
  graphene::LeafCounts total;           // as Emulated::total; executions are those that access memory
  std::vector<std::string> bounds;      // inexact instructions that were executed, each once
  i64 threadInstructions = 0;
};
// Runs the launches and sets the results. A Diag: a launch that the machine does not accept.
// `maxSteps`: thread instructions of a launch.
[[nodiscard]] Result<PtxRun> runPtx(const ptx::Module& module, const Launches& launches, Inputs& inputs, i64 maxSteps,
                                    u64 seed = 1);

// What the PTX says of a run of the emulator.
struct SecondOpinion {
  std::string failure;  // why nothing was run
  PtxRun run;
  std::vector<Comparison> checks;  // outputs, with the emulator's results as the expected ones
  std::string wrong;  // one sentence: a fault of the compiled kernels, or a result that is not the emulator's
};
// `emulated`: has the emulator's results. Compiled with "--fmad=false". Nothing is compared unless the run is complete.
// `maxSteps`: thread instructions of a launch.
[[nodiscard]] SecondOpinion secondOpinion(const codegen::CudaSource& source, const Launches& launches,
                                          const Inputs& emulated, const Rounding& rounding, const RunOptions& options,
                                          i64 maxSteps);

}  // namespace tessera::measure
