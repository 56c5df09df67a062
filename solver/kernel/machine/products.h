// Products: wgmma, the products of a warpgroup.
//
//     wgmma.fence; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {d...}, a, b, p, 1, 1, 0, 1;
//     wgmma.commit_group; wgmma.wait_group 0;
//
// Warp w of a group computes rows 16*(w%4) to 16*(w%4)+15. B, and A if it is not in registers, is in shared memory
// (matrix_descriptor.h).
//
// A product takes place when it is issued, as an agent of its own that reads through the asynchronous proxy (order.h);
// its warp knows it after wgmma.wait_group. Until then its accumulators may be touched by other products and by copies
// only (a copy is in flight, too), and its registers of A may not be written. A warp without any wgmma.fence before its
// first product is reported; a register that is written between a fence and a product is not. Fragments are those of
// the atlas (lanes/fragments.h).
//
// Source: PTX ISA 9.0, 9.7.15 (asynchronous warpgroup instructions).
#pragma once

#include "solver/kernel/lanes/fragments.h"
#include "solver/kernel/machine/matrix_descriptor.h"

namespace tessera::kernel {

class Products {
 public:
  Products(const Program& program, Order& order, MemoryUnit& memory, Findings& findings)
      : program_(program), order_(order), memory_(memory), findings_(findings) {}
  std::string execute(Block& block, Warp& w, int step, Mask mask);  // a reason if it is not supported
  void control(Warp& w, const Step& s, Mask mask);                  // fence, commit_group, wait_group
  // A step of a warp with products in flight.
  void touch(Warp& w, int step);

 private:
  // The registers of a product from now on in flight.
  void takeOff(Warp& w, int step, const Step& s, std::size_t registersOfA);
  // The terms of the values (symbolic/symbolic.h): 16 rows of A by k, or n columns of B by k. nullopt: opaque.
  struct TermTile {
    TermTile(const TileShape& shape, bool a)
        : depth(shape.k), terms(static_cast<std::size_t>(shape.k * (a ? 16 : shape.n))) {}
    int depth;
    std::vector<std::optional<graphene::Terms::Value>> terms;
    [[nodiscard]] std::optional<graphene::Terms::Value>& at(int row, int k) {
      return terms[static_cast<std::size_t>(row * depth + k)];
    }
  };
  std::optional<graphene::Terms::Value> heldTerm(Warp& w, int lane, Place p, const Fragment& f, int value,
                                                 const Lanes* numbers);
  // `before`: the numbers of the accumulators; empty: they are not read.
  void addTerms(Warp& w, const Step& s, const Fragment& d, double sign, TermTile& left, TermTile& right,
                const std::vector<Lanes>& before);
  [[nodiscard]] const Lanes& in(Warp& w, const Step& s, std::size_t k) const { return sourceOf(program_, w, s.ins[k]); }

  const Program& program_;
  Order& order_;
  MemoryUnit& memory_;
  Findings& findings_;
};

}  // namespace tessera::kernel
