// The control flow of a kernel: basic blocks, dominators, natural loops.
//
//     block 0: MOV ... @P1 BRA .L_x_1          edges 0 -> 1, 0 -> 3
//     block 1: MOV, IMAD                       1 -> 2
//     block 2: .L_x_2: IMAD ... @!P1 BRA .L_x_2        2 -> 2, 2 -> 3: a loop, header 2
//     block 3: EXIT
//
// A natural loop of a header h: the edges to h from blocks that h dominates, and every block that reaches one of them
// without passing h. A jump into the middle of a cycle makes no natural loop; `irreducible` counts such cycles' edges.
//
// Calls continue after themselves; a BSYNC goes to the label of its BSSY; a branch through a register has no known
// target (`indirect`).
//
// Law: the same loops as from the set definition of dominators (tests/sass).
#pragma once

#include <vector>

#include "core/sass/listing.h"

namespace tessera::sass {

struct Block {
  int begin = 0, end = 0;  // instructions [begin, end)
  std::vector<int> next, before;
  int dominator = -1;  // immediate; -1: an entry, or not reachable
  bool reachable = false;
};

struct Loop {
  int header = 0;
  std::vector<int> latches, blocks;  // ascending
  int parent = -1;                   // the innermost loop around it; -1: none
  int depth = 1;
};

struct Flow {
  std::vector<Block> blocks;
  std::vector<Loop> loops;  // outer before inner, then by header
  std::vector<int> order;   // reachable blocks in reverse postorder
  int irreducible = 0;
  bool indirect = false;
};

[[nodiscard]] Flow flowOf(const Kernel& kernel);
// Whether a dominates b; both reachable.
[[nodiscard]] bool dominates(const Flow& flow, int a, int b);

}  // namespace tessera::sass
