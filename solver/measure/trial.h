// Trial: a plan run by the emulator on numbers, in the types of its tensors, and its outputs beside their reference.
//
//     TESSERA_TRY(Inputs in, Inputs::of(operands, /*seed=*/1));
//     trial(plan, in, {.blocks = {0, 63}})       two blocks were run: only what they wrote is compared
//         checks[0]      %y: relative error 0.0003, or wrong, and where
//         findings       O1 to O7, as every run of the machine reports them
//
// `check` asks it before it proves anything (solver/graphene/by_numbers.h). What is right is said by toleranceOf and compared
// (compare.h), which `measure` judges a device by.
//
// Law: with all blocks of all kernels its checks are those of emulated() (emulated.h) at the same inputs.
#pragma once

#include "solver/emulate/machine.h"
#include "solver/measure/reference.h"

namespace tessera::measure {

struct TrialOptions {
  std::vector<i64> blocks = {};  // of the only kernel; empty: all blocks of all kernels
  i64 maxSteps = 400'000;        // of warps
  Reference reference = {};
  Rounding rounding = {};
  i64 mostCompared = i64{1} << 16;
  // Elements whose reference the output's type does not hold are left away.
  bool onlyRepresentable = false;
  const std::atomic<bool>* cancel = nullptr;
};

struct Trial {
  std::vector<Comparison> checks;  // of outputs of which something was written
  std::vector<graphene::Finding> findings;
  i64 work = 0;         // products, moves and operations of single elements, and 64 for each step of a warp
  std::string stopped;  // why the machine did not run to the end: nothing was compared then
  i64 worstBlock = 0, worstThread = 0;  // who wrote the worst element of the first check that is not good
};

// `inputs`: of the plan's operands; the results are stored there.
[[nodiscard]] Trial trial(const graphene::Plan& plan, Inputs& inputs, const TrialOptions& options);

}  // namespace tessera::measure
