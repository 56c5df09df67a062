// Translation: whether the blocks of a kernel differ only by a shift.
//
//     %C2 = %C.tile([128:1],[128:1])[@bm,@bn]        block b writes what block 0 writes, shifted by 128*(b%8) rows and
//                                                    128*(b/8) columns: one shift per global tensor
//
// It holds if no condition, loop bound, or place in shared memory or registers depends on the block, and every address
// and coordinate of a global tensor is f(thread, loops) + g(block), with the same g for all accesses to it.
//
// Law: block b then executes the same instances as block 0, at places shifted by `shifts`; races within a block,
// definedness and divergence are those of block 0. An inner specification is `alike` if its own operands are shifted
// like the accesses and its equations do not name the block; a verdict about it in block 0 then holds in every block.
#pragma once

#include <set>

#include "core/notation/graphene/tensor.h"
#include "solver/emulate/machine.h"

namespace tessera::graphene {

struct Shift {
  i64 address = 0;
  std::vector<i64> coordinate;
  bool operator==(const Shift&) const = default;
};

// Of an operand's view from block 0 to this block; a view of a kernel can be indexed by the block.
[[nodiscard]] Shift shiftOf(const Machine<Terms>& machine, const PlanOperand& op, i64 block);

struct Translation {
  std::string obstacle;                      // why it does not hold; empty if it does
  std::map<int, std::vector<Shift>> shifts;  // by global root, then block
  std::set<int> alike;                       // inner specifications that block 0 represents
  [[nodiscard]] bool holds() const { return obstacle.empty(); }
};

[[nodiscard]] Translation translationOf(const Plan& plan, const Machine<Terms>& machine, int kernel);

// The change of an index of an equation if its digits change by these numbers and one parameter by `by`; nullopt: it
// depends on the position. 32*d0 + d1%32 changes by 32 under (1, 64).
struct ParamChange {
  int param = -1;
  i64 by = 0;
};
[[nodiscard]] std::optional<i64> changeOf(const Expr& e, const std::vector<i64>& digits, const ParamChange& size = {});

// Whether the equations' outputs, shifted by by[output] (one number per coordinate), are the same over inputs shifted
// by by[input]. Empty: not shifted.
[[nodiscard]] bool meaningShifts(const Spec& spec, const std::vector<std::vector<i64>>& by);

// The relation of a kernel's operands to the tensors that they are views of.
//
//     %r = %x.reshape(0,[16,16:1,16])           %r[i,j] is %x[j,i]: whole; a shift of %x by (8,0) shifts %r by (0,8)
//     %r = %x.tile([1:1],_)[1,0].reshape(0,[16])    a part: a shift of %x may leave it
//
// Obligations use the operands' coordinates, accesses the tensors'; confusing the two would prove a copy to be a
// transposition.
// Law: viewShift(v, s) == d means that v at c + d is the tensor's element at distance s from v at c.

// In the view's coordinates: levels of equal rank are tiles, whose coordinates run through the whole dimension; other
// levels form one linear coordinate. nullopt: the shift is not uniform, or the view has fewer elements than the tensor
// and would be left.
[[nodiscard]] std::optional<std::vector<i64>> viewShift(const Tensor& view, const Tensor& declared,
                                                        const std::vector<i64>& by);

}  // namespace tessera::graphene
