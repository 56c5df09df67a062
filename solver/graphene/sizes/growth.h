// Growth: what a larger size adds to a kernel, from its text alone.
//
//     for (kt = 0; kt < K; kt += 1) { wait 1  sync  if (kt + 2 < K) { %s[(kt + 2)%3] <- %A[.., kt + 2] ... } }
//     #grid:[M,N]
//
//     K grows by 1: one more step, which repeats the one before it with %A and %B shifted by 32 columns and rows, and
//     with the next of the three stages. Steps before the cut K - 3 do not change, and those from it on move by 1. So
//     K + 1 is right if K is: for every K >= 5.
//     M grows by 1: one more row of blocks, which repeats the first one with %A and %C shifted by 128 rows.
//
//     for (j = 0; j < 2*T; j += 1) { %P[r,64*j + c] <- f(%S[r,64*j + c]) }
//
//     T grows by 1: two more iterations, each of which repeats the first one with %P and %S shifted by 64 columns, if
//     what an iteration writes beside outputs is declared in it.
//
// Two views of the run at s + period compare it with the run at s:
//
//     early    instances before the cut + steps are those of s
//     late     instances from the cut on are those of s, `steps` iterations earlier, shifted in global memory
//
// Both hold in `steps` iterations between and `overlap` iterations before them. Conditions keep their truth. Places in
// shared memory and registers stay, or turn from stage to stage. Coordinates in global memory stay (early), or move by
// one vector per tensor (late). A barrier of the block in each iteration, and waits for asynchronous copies and
// products, bound what an iteration can meet of the others: those at most `overlap` before or after it. Barriers that
// count (mbarrier) have phases: place p of n in phase f is at position p + n*f, and the late view moves positions by a
// constant. That they bound it too is a property of the run at s (step_order.h).
//
//     if (@g < 2) { for (kt ... K ...) { mbarrier.wait %full[kt%4], kt/4 ... } } else { for (kt ... K ...) { ... } }
//
// Several loops that different threads execute may grow together, if their bounds are the same.
//
// A size that the tiles of a kernel need not divide has guards, and so has one that threads compare with:
//
//     #grid:[ceildiv(M,128)]   if (128*@b + @t < M) { ... }       %A is shifted by 128 rows
//     assume C <= 512          if (128*j + @t < C) { ... }
//
//     Block b + 1 at M + 128 is block b at M, shifted; so every block is the first one at some M. The first one is run
//     for M = 1 to 128 at once (solver/emulate/guards), and beyond 128 it is as at 128. C = 1 to 512 likewise.
//
// Law: growthOf(s) implies: if the obligations O1 to O7 hold at s >= from and all other sizes, they hold at
// s + period. Values need more: solver/graphene/sizes/cut.h.
#pragma once

#include <map>
#include <vector>

#include "solver/graphene/z3/sites.h"

namespace tessera::graphene {

using Shifts = std::map<int, std::vector<i64>>;  // by storage (Sites): the change of each coordinate

// Shared memory or registers as stages of equal size: place p is in stage p / size. Later steps use the stage `turn`
// after the one that earlier steps used, the last being followed by the first.
struct Turning {
  i64 stages = 1, size = 1, turn = 0;
  bool operator==(const Turning&) const = default;
  [[nodiscard]] i64 operator()(i64 place) const { return (place / size + turn) % stages * size + place % size; }
};

// The loops with more iterations, one for each role of threads.
struct GrowingLoops {
  std::vector<int> variables;
  i64 steps = 0;             // added to their ends
  Expr cut;                  // value of the loop variables where the late view begins, over the sizes
  i64 overlap = 0, lag = 0;  // in values of the variables; lag: from the issue of an instruction to the wait for it
  Shifts late;
  std::map<int, Turning> turning;  // by storage; others stay
  std::map<int, i64> counted;      // by storage of mbarriers: how far positions move in the late view
};

struct Growth {
  int size = -1;   // program variable
  i64 period = 1;  // s and s + period are compared
  i64 from = 1;    // for s >= from
  Shifts ofBlock;  // by one more block along the digit of this size; empty: no such digit
  i64 blocks = 0;  // a grid digit has this many times the size; 0: none does

  int repeats = -1;  // variable of a loop whose iterations are like blocks: then the digit is this; -1: none

  GrowingLoops loops;
  Shifts extents;                   // by one period: the change of each extent
  i64 bound = 0;                    // there are no larger sizes, and all are run; 0: more follow by the law
  i64 guarded = 0;                  // sizes 1 to this are run at once; 0: each by itself
  [[nodiscard]] i64 most() const {  // sizes 1 .. most() must be run
    return bound > 0 ? bound : loops.variables.empty() ? 1 : from + period - 1;
  }
};

// Of the kernel sites.specs[kernel]. A Diag: why the text gives no such law. A size that the program bounds by a few
// (assume C <= 8) needs none.
[[nodiscard]] Result<Growth> growthOf(const Sites& sites, int kernel, int size);

// The symbolic sizes of the program, by program variable.
[[nodiscard]] std::vector<int> sizesOf(const Sites& sites);

}  // namespace tessera::graphene
