// Variables: the variables of a kernel, the ranges of their values, and the loops that are split into rounds.
//
//     blocks 64: bm = @b / 8 in [0, 7]      for (k = 0; k < 1024; k += 16): k in [0, 1008]
//     kt, a loop over three stages          known(kt + 2) = round * 3 + stage + 1, over two new params
//
// Law: a range holds every value that the variable has in a launch of the kernel. A launch has less than 2^31
// blocks, so with B*H*32*T blocks 32*T fits an int.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/codegen/kernel/writer.h"
#include "core/expr/facts.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/graphene/program.h"

namespace tessera::codegen {

// Rotation: a loop over stages (kt % 3) as rounds of three unrolled copies of its body, in which the stage is a
// constant.
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
// copies, an address in shared memory is a per-thread base plus a constant, and one in global memory is a pointer that
// advances once per round. Leaving a round in the middle is expensive too (every live register was moved), so the first
// round is the partial one. If the iteration count is symbolic, the remaining iterations follow the full rounds in
// another copy, with a `break`.

struct Rotation {
  int variable = 0;  // the loop's
  i64 stages = 1;
  int round = 0, stage = 0;    // params after those of the program
  Expr rounds;                 // their number
  std::optional<i64> skipped;  // stages that the first round skips, so that the last one is full; nullopt: unknown
  std::optional<Expr> left;    // iterations after the full rounds, if the count is symbolic; nullopt: none
  std::optional<Expr> trips;   // the iteration count if it may be negative, which means no iterations
  // A pointer that advances once per round; step 0: a constant pointer into shared memory. count > 0: an array of so
  // many.
  struct Pointer {
    Writer::Name root = -1, name = -1;
    Expr from;
    i64 step = 0;
    Expr stageStep;  // per stage: over the sizes
    i64 count = 0;
  };
  std::vector<Pointer> pointers;
};

// The params of an expression, and whether any of them passes a test.
[[nodiscard]] inline std::vector<int> paramsOf(const Expr& e) { return leavesIn(e, Op::Param); }
template <typename Test>
[[nodiscard]] bool anyParam(const Expr& e, Test test) {
  return anyLeaf(e, [&](const Expr& x) { return x.op() == Op::Param && test(x.index()); });
}

class Variables {
 public:
  // A Diag: the launch is not given, or its number of threads is symbolic.
  [[nodiscard]] static Result<Variables> of(const graphene::Program& program, const graphene::Spec& spec, Span span);

  // A variable of the program.
  [[nodiscard]] const graphene::Variable& operator[](int variable) const {
    return program_.variables[static_cast<std::size_t>(variable)];
  }
  [[nodiscard]] const Expr& valueOf(int index) const { return values_[static_cast<std::size_t>(index)]; }
  // The first index with the value of this one, and itself if there is none.
  [[nodiscard]] int firstWithValueOf(int index) const;
  [[nodiscard]] std::vector<int> sizes() const;
  [[nodiscard]] bool isSize(int param) const;
  [[nodiscard]] int count() const { return static_cast<int>(facts_.box().params.size()); }  // with rounds and stages
  [[nodiscard]] Rotation* rotationOf(int loop);                                             // nullptr: not split

  [[nodiscard]] FactBase& facts() { return facts_; }
  [[nodiscard]] Range range(const Expr& e) { return facts_.of(e).interval; }
  [[nodiscard]] Expr simple(const Expr& e) const { return simplified(e, facts_.box()); }
  [[nodiscard]] Expr known(const Expr& e) const { return substitute(e, {}, meaning_); }  // over rounds and stages
  [[nodiscard]] Expr small(const Expr& e);                                               // known, simplified
  [[nodiscard]] bool inLoop(const Expr& e) const;
  // The trip count of a loop that is unrolled and counts from 0 by ones; 0 for other loops.
  [[nodiscard]] i64 unrolledTrips(int loop) const;

  [[nodiscard]] i64 threads() const { return threads_; }
  [[nodiscard]] const Expr& blocks() const { return blocks_; }

 private:
  explicit Variables(const graphene::Program& program) : program_(program) {}
  void ranges(Environment& box);
  void rotations(const graphene::Spec& spec, Environment& box);

  const graphene::Program& program_;
  FactBase facts_{Environment{}};
  std::vector<Expr> values_;  // Index variables, simplified
  // The expression for each variable: itself, an earlier index that is equal, or round * 3 + stage.
  std::vector<Expr> meaning_;
  std::vector<Rotation> rotations_;
  std::unordered_map<Expr, Expr> small_;
  i64 threads_ = 1;
  Expr blocks_ = Expr::constant(1);
};

}  // namespace tessera::codegen
