// Async: copies and products that an instruction starts and another waits for, and mbarriers.
//
//     cp.async [s], [g], 16; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
//
// A copy takes place when it is issued; until its thread has waited it is an agent of its own (order.h), so any access
// to its bytes that the wait does not order is reported. The value therefore never depends on when a copy lands.
//
// Source: PTX ISA 9.0, 9.7.9.25 (asynchronous copies), 9.7.13.15 (mbarrier).
#pragma once

#include "solver/kernel/machine/bulk.h"
#include "solver/kernel/machine/products.h"
#include "solver/kernel/machine/tensor_unit.h"

namespace tessera::kernel {

class Async {
 public:
  Async(const Program& program, Findings& findings, Order& order, MemoryUnit& memory)
      : program_(program),
        findings_(findings),
        order_(order),
        memory_(memory),
        bulk_(program, order, memory),
        products_(program, order, memory, findings),
        tensor_(program, findings, order, memory) {}

  // Executes the step; a reason if it is not supported.
  std::string execute(Block& block, Warp& w, int step, Mask mask);
  // Whether a wait of the last step has found its barrier incomplete.
  [[nodiscard]] bool failedWait() const { return failedWait_; }
  // Whether the last step has to be executed again: it could not take place yet.
  [[nodiscard]] bool again() const { return again_; }
  void ended(Block& block);
  // A step of a warp with products in flight.
  void touch(Warp& w, int step) { products_.touch(w, step); }
  [[nodiscard]] u64 progress() const { return progress_; }

 private:
  void copy(Block& block, Warp& w, int step, Mask mask);
  void commit(Warp& w, Mask mask);
  void wait(Warp& w, const Step& s, Mask mask);
  std::string mbarrier(Block& block, Warp& w, int step, Mask mask);
  void copyArrive(Block& block, Warp& w, int step, Mask mask);
  Mbarrier* barrierAt(Block& block, Warp& w, int step, int lane, bool init);
  void complete(Mbarrier& b);
  std::string bulk(Block& block, Warp& w, int step, Mask mask);
  std::string tensor(Block& block, Warp& w, int step, Mask mask);
  // `count` arrivals and `bytes` bytes at the mbarrier of this shared address, by what `lane` has started.
  void arrived(Block& block, Warp& w, int step, int lane, u64 at, i64 count, i64 bytes, const Handover& by);
  [[nodiscard]] const Lanes& in(Warp& w, const Step& s, std::size_t k) const { return sourceOf(program_, w, s.ins[k]); }

  const Program& program_;
  Findings& findings_;
  Order& order_;
  MemoryUnit& memory_;
  Bulk bulk_;
  Products products_;
  TensorUnit tensor_;
  bool failedWait_ = false, again_ = false;
  u64 progress_ = 0;
};

}  // namespace tessera::kernel
