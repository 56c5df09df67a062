// Rotation: a loop over stages (kt % 3) as rounds of three
// unrolled copies of its body, in which the stage is a constant.
//
//     for (kt = 0; kt < 32; kt += 1) { ... sA[kt%3, ...] ... At[@bm, kt + 2] ... }
//
//     const half* A_round = A + (bm * 131072 + r * 1024 + c * 8);
//     half* sA_base = tessera::kept(&sA[r * 32 + sA_at]);
//     for (int round = 0; round < 11; ++round) {
//       #pragma unroll
//       for (int stage = 0; stage < 3; ++stage) {        kt = round * 3 + stage - 1
//         if (round == 0 && stage < 1) continue;         32 is not a multiple of 3: the first round is partial
//         ... &sA_base[(stage + 1) % 3 * 4096] ... &A_round[stage * 32 + 32] ...
//       }
//       A_round = tessera::kept_global(A_round + 96);
//     }
//
// Why: kt % 3 costs a multiplication by a reciprocal in every iteration and an addition at every address. In unrolled
// copies an address in shared memory is a per-thread base plus a constant, and one in global memory a pointer that
// advances once a round. Exiting in the middle of a round is also expensive (every live register was moved), so the
// first round is the partial one. If the iteration count is symbolic, the remainder follows the full rounds as another
// copy, with a `break`.
#pragma once

#include <optional>
#include <vector>

#include "core/codegen/kernel/writer.h"
#include "core/graphene/program.h"

namespace tessera::codegen {

struct Rotation {
  int variable = 0;  // of the loop
  i64 stages = 1;
  int round = 0, stage = 0;    // params after those of the program
  Expr rounds;                 // how many
  std::optional<i64> skipped;  // stages that the first round skips, so that the last one is full; nullopt: unknown
  std::optional<Expr> left;    // iterations after the full rounds, if the count is symbolic; nullopt: none
  std::optional<Expr> trips;   // the iteration count if it may be negative, which means no iterations
  // A pointer that advances once a round; step 0: a constant one, into shared memory. count > 0: an array of that many.
  struct Pointer {
    Writer::Name root = -1, name = -1;
    Expr from;
    i64 step = 0;
    Expr stageStep;  // per stage: over the sizes
    i64 count = 0;
  };
  std::vector<Pointer> pointers;
};

// The loops of a body, at any depth, whose variable is used modulo a number of stages: variable and stages.
[[nodiscard]] std::vector<std::pair<int, i64>> stagedLoops(const graphene::Program& program,
                                                           const graphene::Body& body);

}  // namespace tessera::codegen
