// Translation: do the blocks of a kernel differ by a shift only?
//
//     %C2 = %C.tile([128:1],[128:1])[@bm,@bn]        block b writes what block 0 writes, 128*(b%8) rows and 128*(b/8)
//                                                    columns further: one shift for each global tensor
//
// It holds when no condition, no loop bound and no place in shared memory or registers depends on the block, and every address and
// coordinate of a global tensor is f(thread, loops) + g(block), with one g for all accesses to it.
//
// Law: then block b executes the same instances as block 0, each at places shifted by `shift(root, b)`; races inside of a block,
// definedness and divergence are those of block 0. A specification inside is `alike` when its own operands are shifted as the
// accesses are and its equations do not name the block: then what holds of it in block 0 holds in every block.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "solver/emulate/machine.h"

namespace tessera::graphene {

struct Shift {
  i64 address = 0;
  std::vector<i64> coordinate;
  bool operator==(const Shift&) const = default;
};

struct Translation {
  std::string obstacle;                      // why it does not hold; empty: it does
  std::map<int, std::vector<Shift>> shifts;  // by global root, then block
  std::set<int> alike;                       // specifications inside that are in each block what they are in block 0
  [[nodiscard]] bool holds() const { return obstacle.empty(); }
};

[[nodiscard]] Translation translationOf(const Plan& plan, const Machine<Terms>& machine, int kernel);

}  // namespace tessera::graphene
