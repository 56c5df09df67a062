// By numbers: runs the program in its own types on random inputs before proving anything (solver/measure/trial.h, as
// `measure` does).
//
//     random, -1 to 1        wrong: O8 is refuted, even if the algebra of real numbers proves it
//     1, 0, up to 100, an offset, limits of integer types, if the output type holds the specified result:
//         wrong even without rounding (0/0)               refuted
//         wrong in fp32 because of its range alone,
//         while the equations as written stay in range    refuted: a softmax that does not subtract its maximum
//         wrong otherwise                                 added to the proof: "with all inputs 1, %y[0] is 2048 instead
//                                                         of 4096 (fp16 stops)": a type overflows, wraps or stagnates
//         right                                           the note gives the relative error
//
// Violations that the machine reports on the way (O1 to O7) are kept.
//
// The budget is counted in products and machine steps: all blocks run, or block 0 and a sample if that is too much.
// Law: a program that check proves is right in emulated() (solver/measure/emulated.h) at seed 1 on the blocks run.
#pragma once

#include <vector>

#include "solver/emulate/plan.h"
#include "solver/graphene/check.h"
#include "solver/graphene/z3/sites.h"

namespace tessera::graphene {

struct ByNumbers {
  std::vector<ObligationVerdict> refuted;
  std::string note;  // addition to a proof of O8; empty: nothing was run or compared
};

// By specification (sites.specs), for kernels only. Empty for programs with symbolic sizes.
[[nodiscard]] std::vector<ByNumbers> byNumbers(const Sites& sites, const CheckOptions& options);

}  // namespace tessera::graphene
