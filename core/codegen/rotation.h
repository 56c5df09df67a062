// Rotation: a loop that goes through stages, kt % 3, as rounds of three copies of its body, in which the stage is a number.
//
//     for (kt = 0; kt < 32; kt += 1) { ... sA[kt%3, ...] ... At[@bm, kt + 2] ... }
//
//     const half* A_round = A + (bm * 131072 + r * 1024 + c * 8);
//     half* sA_base = tessera::kept(&sA[r * 32 + sA_at]);
//     for (int round = 0; round < 11; ++round) {
//       #pragma unroll
//       for (int stage = 0; stage < 3; ++stage) {        kt = round * 3 + stage - 1
//         if (round == 0 && stage < 1) continue;         32 is no multiple of 3: the first round is not whole
//         ... &sA_base[(stage + 1) % 3 * 4096] ... &A_round[stage * 32 + 32] ...
//       }
//       A_round = tessera::kept_global(A_round + 96);
//     }
//
// Why: kt % 3 costs a multiplication by a reciprocal in every iteration and an addition at every address; in copies of the body
// addresses of shared memory are a base of the thread and a number, and those of global memory a pointer that steps once a round.
// An exit in the middle would cost as well: the machine code moved every register that lives on. So what is missing to whole
// rounds is missing at the beginning. Where the number of iterations is a symbol, what is left of them is written once more
// behind the whole rounds, with a `break`.
#pragma once

#include <optional>
#include <vector>

#include "core/codegen/writer.h"
#include "core/graphene/program.h"

namespace tessera::codegen {

struct Rotation {
  int variable = 0;  // of the loop
  i64 stages = 1;
  int round = 0, stage = 0;    // params behind those of the program
  Expr rounds;                 // how many
  std::optional<i64> skipped;  // stages that the first round leaves out, so that the last one is whole; none: not known
  std::optional<Expr> left;  // iterations behind the whole rounds, where their number is a symbol; none: there are none
  std::optional<Expr> trips;  // the number of iterations where it may be negative: then there are none
  // A pointer that steps once a round; step 0: one that does not, into shared memory. count > 0: so many of them, an array.
  struct Pointer {
    Writer::Name root = -1, name = -1;
    Expr from;
    i64 step = 0;
    Expr stageStep;  // one a stage: over the sizes
    i64 count = 0;
  };
  std::vector<Pointer> pointers;
};

// The loops of a body, at any depth, whose variable is taken modulo a number of stages: variable and stages.
[[nodiscard]] std::vector<std::pair<int, i64>> stagedLoops(const graphene::Program& program,
                                                           const graphene::Body& body);

}  // namespace tessera::codegen
