// TensorOrder: which accesses to tensor memory are ordered before an operation of tcgen05, in every schedule.
//
//     tcgen05.st; tcgen05.ld                               not ordered: both are asynchronous
//     tcgen05.st; tcgen05.wait::st; tcgen05.ld             ordered: the store is complete
//     tcgen05.mma; tcgen05.mma, same accumulator           ordered: a pipeline
//     tcgen05.mma; tcgen05.commit [b]; mbarrier.try_wait [b]; tcgen05.ld       ordered: the product is complete
//
// Each ld, st, mma and cp takes place when it is issued, as an agent of its own (order.h): mma and cp of a thread in
// Domain::Tensor, loads and stores of a warp in domains of their own. A thread knows that they are complete after
// tcgen05.wait, or after an mbarrier that tcgen05.commit arrives at; this is passed on by ordinary synchronization.
//
// Pairs that form a pipeline need only be issued in order: mma after mma with the same accumulator, shape and kind, and
// mma after cp. PTX does not list cp after mma and cp after cp; here they are pairs, too, because every block-scaled
// kernel of CUTLASS copies its next scales over those that a product may still read. In one thread the order is program
// order. Between threads tcgen05.fence::before_thread_sync puts the issue (Domain::TensorIssued) into what its thread
// passes on.
//
// Synchronization that is .relaxed passes on nothing, except what is complete or was issued at the last
// before_thread_sync, to those that execute after_thread_sync. With acquire and release these fences are not needed:
// "standard memory consistency model synchronization mechanisms also apply". CUTLASS has none.
//
// Registers of a load may be read at once: the dependence is kept by the hardware.
//
// Source: PTX ISA 9.0, 9.7.16.6 (memory consistency model of tcgen05).
#pragma once

#include <map>
#include <unordered_map>

#include "solver/kernel/lanes/operation.h"
#include "solver/kernel/order/order.h"

namespace tessera::kernel {

struct TensorOp {
  Domain domain = Domain::Thread;  // Thread: tcgen05.dealloc, which is synchronous
  std::uint32_t agent = 0;         // the thread; of a load or store the first of its warp
  std::uint32_t time = 0;
  std::uint32_t firstThread = 0;
  Mask lanes = 0;  // that execute it: what one of them knows, the operation is ordered after
  int step = -1;
  u64 pipeline = 0;  // of mma: accumulator, shape and kind; kCopy
};

class TensorOrder {
 public:
  static constexpr u64 kCopy = 1;
  explicit TensorOrder(Order& order) : order_(order), all_(1) {}

  // The next operation; its agent has done it before its time + 1.
  std::uint32_t issue(TensorOp op);
  [[nodiscard]] const TensorOp& operator[](std::uint32_t number) const { return all_[number]; }
  [[nodiscard]] const TensorOp& last() const { return all_.back(); }
  [[nodiscard]] std::uint32_t lastNumber() const { return static_cast<std::uint32_t>(all_.size() - 1); }
  // Whether operation `first` is ordered before the last one that was issued. Requires: first is not 0.
  [[nodiscard]] bool ordered(std::uint32_t first);
  // A later read that does as well as an earlier one.
  [[nodiscard]] bool covers(std::uint32_t later, std::uint32_t earlier) const;

  // tcgen05.wait::ld (Domain::TensorLoads) and wait::st, by the lanes.
  void wait(std::uint32_t firstThread, Mask lanes, Domain domain);
  // tcgen05.commit: what its mbarrier passes on.
  void commit(std::uint32_t thread, Handover& into);
  void fenceBefore(std::uint32_t thread);
  void fenceAfter(std::uint32_t thread);
  // mbarrier.arrive.relaxed, and a wait that is relaxed and succeeds.
  void arriveRelaxed(std::uint32_t thread, Handover& into) const;
  void waitRelaxed(std::uint32_t thread, const Handover& from);

 private:
  [[nodiscard]] bool decide(const TensorOp& first, const TensorOp& then) const;

  Order& order_;
  std::vector<TensorOp> all_;
  std::map<std::pair<Domain, std::uint32_t>, std::uint32_t> times_;  // of an agent: the next
  std::map<std::uint32_t, Knowledge> fenced_, observed_;             // by thread
  std::unordered_map<std::uint32_t, bool> answers_;                  // of the last operation
  std::uint32_t asked_ = 0;                                          // before: neighbouring cells ask the same
  bool answer_ = false;
};

}  // namespace tessera::kernel
