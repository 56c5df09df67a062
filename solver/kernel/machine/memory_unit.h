// MemoryUnit: the memories of a launch, and the checks and counts of each access to them.
//
//     unit.load(block, warp, step, mask)      ld: every lane of the mask, bounds, alignment, order, definedness
//     unit.access(...)                        one lane's access by any other instruction: copies, matrices
//
// A lane's access is checked in this order: bounds, alignment, order (a race), definedness. A lane whose access is out
// of bounds or misaligned does not access; a load then returns 0.
#pragma once

#include "solver/kernel/machine/access_findings.h"
#include "solver/kernel/machine/access_record.h"
#include "solver/kernel/machine/dependence.h"
#include "solver/kernel/machine/observer.h"
#include "solver/kernel/order/strong.h"
#include "solver/kernel/symbolic/symbolic.h"

namespace tessera::kernel {

class MemoryUnit {
 public:
  // `symbolic`: the terms of the values; null: numbers only.
  MemoryUnit(const Program& program, const Launch& launch, Findings& findings, Order& order,
             Symbolic* symbolic = nullptr)
      : program_(program),
        order_(order),
        memories_(program, launch),
        dependence_(program, memories_),
        found_(program, memories_, findings),
        record_(program),
        strong_(order),
        symbolic_(symbolic) {}

  void load(Block& block, Warp& w, int step, Mask mask);
  void store(Block& block, Warp& w, int step, Mask mask);
  void atomic(Block& block, Warp& w, int step, Mask mask);

  // One event for all lanes of a warp's instruction.
  [[nodiscard]] Actor actor(const Warp& w, int step, bool write, bool strong = false) {
    return actorAt(w, step, {w.firstThread, order_.now(w.firstThread), step, Domain::Thread, strong, write});
  }
  [[nodiscard]] Actor actorAt(const Warp& w, int step, const Event& event) {
    return {events_.add(event), 0, w.firstThread, false, step, false};
  }
  // `width` bytes at an address of a space, for lane `a.lane`; nullopt after a report. `from`: the bytes to be written,
  // for races of equal values; null for reads, whose definedness is checked.
  std::optional<Target> access(Block& block, Warp& w, const Actor& a, ptx::Space space, u64 address, int width,
                               const std::uint8_t* from);
  void fence(std::uint32_t thread) { strong_.fence(thread); }
  // All threads of the block have ended: accesses of other blocks to its shared memory must be ordered before.
  void ended(Block& block);

  [[nodiscard]] Memories& memories() { return memories_; }
  [[nodiscard]] Dependence& dependence() { return dependence_; }
  [[nodiscard]] Symbolic* symbolic() { return symbolic_; }
  // The bytes written to `to` have the slots of those copied from `from`; without `from` they are numbers.
  void carry(Warp& w, int lane, const Target* from, const Target& to, int width) {
    dependence_.carry(w, lane, from, to, width);
    if (symbolic_ != nullptr) symbolic_->carry(w, lane, from, to, width);
  }
  [[nodiscard]] AccessFindings& found() { return found_; }
  [[nodiscard]] AccessRecord& record() { return record_; }
  [[nodiscard]] Observer* observer() const { return observer_; }  // null: none
  void observe(Observer& observer) { observer_ = &observer; }
  [[nodiscard]] u64 changes() const { return changes_; }  // stores so far that changed memory

 private:
  void countLanes(int step, const Block& block, const Warp& w,
                  const std::array<std::optional<Target>, kLanes>& targets);

  const Program& program_;
  Order& order_;
  Memories memories_;
  Dependence dependence_;
  AccessFindings found_;
  AccessRecord record_;
  Events events_;
  StrongAccesses strong_;
  Symbolic* symbolic_;
  u64 changes_ = 0;
  Observer* observer_ = nullptr;
  bool storesDependent_ = false;  // the value that is being stored depends on an arbitrary argument
};

}  // namespace tessera::kernel
