// TensorUnit: the instructions of Blackwell's tensor memory, tcgen05.
//
//     tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 64;     writes the address to shared memory
//     tcgen05.mma ...; tcgen05.commit ... [b];                             arrives at mbarrier b when it is complete
//     tcgen05.ld ...; tcgen05.wait::ld.sync.aligned;
//     tcgen05.dealloc.cta_group::1.sync.aligned.b32 t, 64;
//
// Allocation waits while there is no room. A block that ends with an allocation, a deallocation of what is not
// allocated or still accessed, and an allocation after relinquish_alloc_permit are reported. With cta_group::2 each
// block of a pair allocates for itself; that both do is not checked here, but their accesses are.
//
// Source: PTX ISA 9.0, 9.7.16.
#pragma once

#include "solver/kernel/machine/tensor_products.h"

namespace tessera::kernel {

class TensorUnit {
 public:
  TensorUnit(const Program& program, Findings& findings, Order& order, MemoryUnit& memory)
      : program_(program),
        findings_(findings),
        orderOfThreads_(order),
        memory_(memory),
        order_(order),
        access_(program, findings, memory, order_),
        products_(program, memory, order_, access_) {}

  // An arrival at the mbarrier of this shared address (ownerOf), for tcgen05.commit.
  using Arrive = std::function<void(int lane, u64 mbarrier, const Handover& by)>;
  // Executes the step; a reason if it is not supported.
  std::string execute(Block& block, Warp& w, int step, Mask mask, const Arrive& arrive);
  // Whether the last step was an allocation that has to wait.
  [[nodiscard]] bool waits() const { return waits_; }
  // The block has ended.
  void ended(const Block& block);
  [[nodiscard]] TensorOrder& order() { return order_; }

 private:
  void allocate(Block& block, Warp& w, int step, Mask mask);
  void deallocate(Block& block, Warp& w, int step, Mask mask);
  std::string commit(Block& block, Warp& w, const Step& s, Mask mask, const Arrive& arrive);
  // All tcgen05 instructions of a kernel have the same .cta_group.
  void checkGroup(const Warp& w, int step, Mask mask);
  [[nodiscard]] bool validColumns(const Warp& w, int step, Mask mask, u64 columns);
  void wrong(const Warp& w, int step, Mask mask, Verdict kind, const std::string& does);
  [[nodiscard]] u64 at(Warp& w, const Step& s, int lane) const {
    return sourceOf(program_, w, s.addresses[0].first)[static_cast<std::size_t>(lane)] +
           static_cast<u64>(s.addresses[0].second);
  }

  const Program& program_;
  Findings& findings_;
  Order& orderOfThreads_;
  MemoryUnit& memory_;
  TensorOrder order_;
  TensorAccess access_;
  TensorProducts products_;
  bool waits_ = false;
  std::string_view group_;
};

}  // namespace tessera::kernel
