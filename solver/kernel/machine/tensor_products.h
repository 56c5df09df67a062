// TensorProducts: tcgen05.mma, and tcgen05.cp from shared to tensor memory.
//
//     tcgen05.mma.cta_group::1.kind::f16 [d], a, b, i, p;         D = A*B, or D + A*B if p
//     tcgen05.mma.cta_group::1.kind::f16 [d], [a], b, i, p;       A in tensor memory
//     tcgen05.mma.cta_group::2.kind::f16 [d], a, b, i, p;         each block of the pair has half of A's and B's rows
//
// The instruction descriptor i has the shape, the types and the major-ness (tensor_instruction.h). D has an element in
// each cell, A as many as fit; the atlas has their lanes (core/atlas/gmma.h, tmemLayout). Operands in shared memory
// have a descriptor (matrix_descriptor.h), and are read through the asynchronous proxy.
//
// A product takes place when it is issued, for each thread that executes it. Its sum is that of multiplyAdd: exact
// while it fits a double, then rounded. The hardware's order is not specified.
//
// Law: D is what three loops over the tiles compute (tests/kernel, with formulas of PTX's figures).
//
// Source: PTX ISA 9.0, 9.7.16.4.2 (instruction descriptor), 9.7.16.9 (tcgen05.cp), 9.7.16.10 (tcgen05.mma).
#pragma once

#include "solver/kernel/machine/matrix_descriptor.h"
#include "solver/kernel/machine/tensor_access.h"
#include "solver/kernel/machine/tensor_instruction.h"

namespace tessera::kernel {

class TensorProducts {
 public:
  TensorProducts(const Program& program, MemoryUnit& memory, TensorOrder& order, TensorAccess& access)
      : program_(program), memory_(memory), order_(order), access_(access) {}
  // A reason if the form is not supported.
  std::string multiply(Block& block, Warp& w, int step, Mask mask);
  std::string copy(Block& block, Warp& w, int step, Mask mask);

 private:
  // Lane and column of each element of the part of one block, row by row; a cell holds `perCell` elements.
  struct Places {
    int perCell = 1;
    std::vector<std::pair<int, int>> at;  // column in elements
  };
  [[nodiscard]] Result<const Places*> placesOf(int ctas, int m, int n, int bits, bool packed);
  // Multiplies the rows or columns of a tile with their scales.
  void scaleRows(Block& at, const TensorAddress& from, const TensorInstruction& t, int first, TileMatrix& tile,
                 bool columns);
  std::string multiplyOne(Block& block, Warp& w, int step, int lane);
  // The blocks that take part, by rank; empty: there is no pair.
  [[nodiscard]] static std::vector<Block*> pairOf(Block& block, int ctas);
  [[nodiscard]] u64 in(Warp& w, const Step& s, std::size_t k, int lane) const {
    return sourceOf(program_, w, s.ins[k])[static_cast<std::size_t>(lane)];
  }
  [[nodiscard]] TensorAddress addressOf(Warp& w, const Step& s, std::size_t k, int lane) const {
    return TensorAddress(sourceOf(program_, w, s.addresses[k].first)[static_cast<std::size_t>(lane)] +
                         static_cast<u64>(s.addresses[k].second));
  }
  // Of the operation that was issued last, by a lane of w.
  [[nodiscard]] Actor reader(Warp& w, int step, int lane);

  const Program& program_;
  MemoryUnit& memory_;
  TensorOrder& order_;
  TensorAccess& access_;
  std::map<std::array<int, 5>, Places> places_;
};

}  // namespace tessera::kernel
