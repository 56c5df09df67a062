// emulated: a run without a GPU: the same random inputs and comparison, with the emulator as the device.
//
//     auto e = emulated(source, program, options);     e->checks[0]: %C, relative error 0.0003
//     e->kernels                                       registers, spills and shared memory, if NVRTC is available
//     e->total                                         instructions, wavefronts and sectors of the run
//     e->ptx                                           the same of the compiled PTX (ptx_run.h), if NVRTC is available
//
// Values follow the semantics of the program (solver/emulate), element types and rounding included. Times are not
// predicted.
// Law: inputs and references are those of run() at the same seed and sizes.
#pragma once

#include "core/graphene/obligation.h"
#include "solver/emulate/counts.h"
#include "solver/measure/ptx_run.h"
#include "solver/measure/reference/reference.h"
#include "solver/measure/runner.h"

namespace tessera::measure {

struct CompiledBy {
  std::string by = {};                    // "NVRTC 13.0"; empty: there is no compiler
  std::string failure = {};               // why it is not compiled
  std::vector<Resources> resources = {};  // by kernel
};
// The compiler's report on generated kernels, without a device.
[[nodiscard]] CompiledBy compiledBy(const codegen::CudaSource& source);

// `wrong` may also be a finding of the emulator.
struct Emulated : Checked {
  std::string architecture;
  std::string stopped;                   // why the emulator ended early; nothing was compared then
  graphene::LeafCounts total;            // warp instructions, wavefronts, sectors
  i64 launches = 0;                      // kernels, in sequence
  i64 blocks = 0, threads = 0;           // of the largest kernel
  std::map<std::string, i64> threadsOf;  // per block, by kernel
  CompiledBy compiled;
  // The compiled kernels on the PTX machine; nullopt if they are not compiled or the emulator stopped. What it finds is
  // also in `wrong`.
  std::optional<SecondOpinion> ptx;
};

// Nothing is run if the operands have more than kMostEmulated elements, at 16 bytes or more each in the emulator.
inline constexpr i64 kEmulatedSteps = 400'000;  // warp steps: about half a minute
inline constexpr i64 kPtxStepsOfOne = 128;      // thread instructions of the PTX for each warp step
[[nodiscard]] Result<Emulated> emulated(const codegen::CudaSource& source, const graphene::Program& program,
                                        const RunOptions& options, i64 maxSteps = kEmulatedSteps);

// The emulator as the device: runs all kernels of a program on the inputs, and sets the results.
struct EmulatorRun {
  struct Leaf {
    Span span;
    std::string atom;  // "ld.global.b32"
    graphene::LeafCounts counts;
  };
  std::vector<Leaf> leaves;  // as in the plan
  std::vector<graphene::Finding> findings;
  std::string stopped;  // why it ended early
  i64 steps = 0;        // of warps
};
[[nodiscard]] Result<EmulatorRun> runEmulator(const graphene::Program& program, const graphene::PlanOptions& how,
                                              Inputs& inputs, i64 maxSteps, const std::atomic<bool>* cancel = nullptr);

// Trial: runs a plan in the emulator on numbers, in the types of its tensors, and compares the outputs with their
// reference.
//
//     TESSERA_TRY(Inputs in, Inputs::of(operands, /*seed=*/1));
//     trial(plan, in, {.blocks = {0, 63}})       runs two blocks; only the elements they wrote are compared
//         checks[0]      %y: relative error 0.0003, or wrong, and where
//         findings       O1 to O7, as in every run of the machine
//
// `check` runs one before it proves anything (solver/graphene/values/by_numbers.cpp). Tolerances come from toleranceOf
// and compared (compare.h), which `measure` also applies to devices.
//
// Law: with all blocks of all kernels, the checks equal those of emulated() on the same inputs.

struct Trial {
  std::vector<Comparison> checks;  // of outputs with at least one written element
  std::vector<graphene::Finding> findings;
  i64 work = 0;                         // element products, moves and operations, plus 64 per warp step
  std::string stopped;                  // why the machine stopped early; nothing was compared then
  i64 worstBlock = 0, worstThread = 0;  // writer of the worst element of the first failed check
};

struct TrialOptions {
  std::vector<i64> blocks = {};  // of the only kernel; empty: all blocks of all kernels
  // Called when `blocks` have run and are right: further blocks, which are compared together with them.
  std::function<std::vector<i64>(const Trial&)> further = {};
  i64 maxSteps = kEmulatedSteps;
  Reference reference = {};
  Rounding rounding = {};
  i64 mostCompared = i64{1} << 16;
  // Skip elements whose reference the output's type cannot represent.
  bool onlyRepresentable = false;
  const std::atomic<bool>* cancel = nullptr;
};

// `inputs`: for the plan's operands; receives the results.
[[nodiscard]] Trial trial(const graphene::Plan& plan, Inputs& inputs, const TrialOptions& options);

}  // namespace tessera::measure
