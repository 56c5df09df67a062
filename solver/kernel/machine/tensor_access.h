// TensorAccess: accesses to cells of tensor memory with their checks, and tcgen05.ld and tcgen05.st.
//
//     tcgen05.ld.sync.aligned.16x64b.x2.b32 {%r0, %r1}, [t]
//
// Register r of lane l gets lane l/4 + 8*(l%2) and column 2*r + l/2%2 of tensor memory, from t on: the atlas' layouts
// (core/atlas). Warp w may access lanes 32*(w%4) to 32*(w%4)+31. .16x32bx2 gives a second column for lanes 16 to 31.
// With .pack::16b a register holds the low halves of two columns.
//
// A cell is checked in this order: allocation, order (a race), definedness. Each is reported once for an operation.
//
// Law: a load after a store of the same shape returns what was stored (tests/kernel, by the formulas of PTX's figures).
//
// Source: PTX ISA 9.0, 9.7.16.2.3 (data movement shapes), 9.7.16.8 (tcgen05.ld, tcgen05.st).
#pragma once

#include "solver/kernel/machine/memory_unit.h"
#include "solver/kernel/machine/tensor_memory.h"
#include "solver/kernel/machine/tensor_order.h"

namespace tessera::kernel {

class TensorAccess {
 public:
  TensorAccess(const Program& program, Findings& findings, MemoryUnit& memory, TensorOrder& order)
      : program_(program), findings_(findings), memory_(memory), order_(order) {}

  struct How {
    bool reads = false, writes = false;
    std::uint8_t halves = 3;  // of the cell
  };
  // The last operation of `order` accesses a cell of a block. Null after a report: it is not allocated.
  TensorMemory::Cell* access(Block& block, int lane, int column, const How& how);
  // tcgen05.dealloc, the last operation: all accesses to the columns are ordered before it.
  void finish(TensorMemory& memory, const TensorMemory::Allocation& columns);

  // tcgen05.ld and st; a reason if the form is not supported.
  std::string move(Block& block, Warp& w, int step, Mask mask);

 private:
  // By register and lane: lane and column of tensor memory, from the address on.
  struct Shape {
    int registers = 0;
    std::vector<std::pair<int, int>> at;
  };
  [[nodiscard]] const Shape* shapeOf(const ptx::Opcode& o);
  void noteRace(TensorMemory& memory, TensorMemory::Cell& c, int lane, int column, bool writes);
  void race(std::uint32_t first, int lane, int column, const char* does, bool firstWrites);
  // The first report of this kind for the operation, with the address in its place; null otherwise.
  Finding* report(Verdict kind, int lane, int column, int other = -1);
  [[nodiscard]] std::uint32_t actorOf(const TensorOp& op) const {
    return op.firstThread + static_cast<std::uint32_t>(__builtin_ctz(op.lanes));
  }

  const Program& program_;
  Findings& findings_;
  MemoryUnit& memory_;
  TensorOrder& order_;
  std::map<std::string, Shape> shapes_;
};

}  // namespace tessera::kernel
