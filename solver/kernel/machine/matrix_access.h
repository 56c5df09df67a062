// ldmatrix and stmatrix: a warp's access to 8x8 matrices of 16-bit elements in shared memory.
//
//     ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [a]
//
// Lane l gives the address of row l % 8 of matrix l / 8, 16 bytes. Register r of lane l gets elements 2*(l%4) and
// 2*(l%4)+1 of row l/4 of matrix r; with .trans the rows are columns.
//
// wmma.load and wmma.store move a tile between memory and a fragment (lanes/fragments.h), element by element.
//
// Law: stmatrix of what ldmatrix gave writes the same bytes, for .trans too.
//
// Source: PTX ISA 9.0, 9.7.14.5.15 (ldmatrix), 9.7.14.5.16 (stmatrix).
#pragma once

#include "solver/kernel/machine/memory_unit.h"

namespace tessera::kernel {

class MatrixAccess {
 public:
  MatrixAccess(const Program& program, MemoryUnit& memory) : program_(program), memory_(memory) {}
  // A reason if the form is not supported.
  std::string load(Block& block, Warp& w, int step, Mask mask);
  std::string store(Block& block, Warp& w, int step, Mask mask);
  std::string tile(Block& block, Warp& w, int step, Mask mask);  // wmma

 private:
  using Rows = std::array<std::array<std::uint8_t, 16>, kLanes>;
  void access(Block& block, Warp& w, int step, Mask mask, Rows& rows, bool write);

  const Program& program_;
  MemoryUnit& memory_;
  std::array<std::vector<Slot>, kLanes> slots_;  // of the rows, if values are symbolic
};

}  // namespace tessera::kernel
