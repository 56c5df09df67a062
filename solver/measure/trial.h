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
// Law: with all blocks of all kernels, the checks equal those of emulated() (emulated.h) on the same inputs.
#pragma once

#include "solver/emulate/machine.h"
#include "solver/measure/reference/reference.h"

namespace tessera::measure {

struct TrialOptions {
  std::vector<i64> blocks = {};  // of the only kernel; empty: all blocks of all kernels
  i64 maxSteps = 400'000;        // warp steps
  Reference reference = {};
  Rounding rounding = {};
  i64 mostCompared = i64{1} << 16;
  // Skip elements whose reference the output's type cannot represent.
  bool onlyRepresentable = false;
  const std::atomic<bool>* cancel = nullptr;
};

struct Trial {
  std::vector<Comparison> checks;  // of outputs with at least one written element
  std::vector<graphene::Finding> findings;
  i64 work = 0;                         // element products, moves and operations, plus 64 per warp step
  std::string stopped;                  // why the machine stopped early; nothing was compared then
  i64 worstBlock = 0, worstThread = 0;  // writer of the worst element of the first failed check
};

// `inputs`: for the plan's operands; receives the results.
[[nodiscard]] Trial trial(const graphene::Plan& plan, Inputs& inputs, const TrialOptions& options);

}  // namespace tessera::measure
