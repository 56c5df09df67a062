// By numbers: the program run in its types, on random inputs, before anything is proved (solver/measure/trial.h, the judge of `measure`).
//
//     random, -1 to 1           wrong: O8 is refuted, whatever an algebra of real numbers says of it
//     1, 0, up to 100, an offset, ends of integer types, where the type of the output holds what the specification asks for:
//         wrong without any rounding too (0/0)                        refuted
//         wrong in fp32, of which only the range is the cause,
//         while the equations as they are written stay within it      refuted: a softmax that does not take its maximum away
//         wrong otherwise                                             the note of a proof: "with all inputs 1, %y[0] is 2048 instead of
//                                                                     4096 (fp16 stops)": a type overflows, wraps or stagnates
//         right                                                       the note names the relative error
//
// What the machine reports on the way (O1 to O7) is kept.
//
// How much is run is counted in products and steps of the machine: all blocks, or block 0 and some others where all of them are too many.
// Law: a program that check proves is right in emulated() (solver/measure/emulated.h) at seed 1, where the same blocks were run.
#pragma once

#include <vector>

#include "solver/emulate/plan.h"
#include "solver/graphene/check.h"
#include "solver/graphene/sites.h"

namespace tessera::graphene {

struct ByNumbers {
  std::vector<ObligationVerdict> refuted;
  std::string note;  // what a proof of O8 adds; empty: nothing was run or compared
};

// By specification (sites.specs); kernels only. Nothing for programs whose sizes are symbols.
[[nodiscard]] std::vector<ByNumbers> byNumbers(const Sites& sites, const CheckOptions& options);

}  // namespace tessera::graphene
