// MemoryUnit: the memories of a launch, and the checks and counts of each access to them.
//
//     unit.load(block, warp, step, mask)      ld: every lane of the mask, bounds, alignment, order, definedness
//     unit.access(...)                        one lane's access by any other instruction: copies, matrices
//
// A lane's access is checked in this order: bounds, alignment, order (a race), definedness. A lane whose access is out
// of bounds or misaligned does not access; a load then returns 0.
#pragma once

#include "solver/kernel/addresses/address_terms.h"
#include "solver/kernel/machine/access_findings.h"
#include "solver/kernel/machine/access_record.h"
#include "solver/kernel/machine/dependence.h"
#include "solver/kernel/machine/observer.h"
#include "solver/kernel/order/strong.h"
#include "solver/kernel/symbolic/symbolic.h"

namespace tessera::kernel {

// Where the lanes of a load or a store access.
struct WarpTargets {
  WarpTargets() { offsets.fill(kInactive); }
  std::array<std::uint8_t*, kLanes> bytes{};  // null: nowhere
  // For the counts: in the memory of the first lane that accesses one, kInactive for lanes that access another one.
  std::array<i64, kLanes> offsets;
  const Region* region = nullptr;
  ptx::Space space = ptx::Space::Generic;
  void add(int lane, const Target* t) {
    if (t == nullptr) return;
    bytes[static_cast<std::size_t>(lane)] = t->bytes;
    if (t->region == nullptr || (region != nullptr && t->space != space)) return;
    if (region == nullptr) region = t->region;
    space = t->space;
    offsets[static_cast<std::size_t>(lane)] = t->offset;
  }
};

// What the lanes of a mask access: `width` bytes each at their base + offset.
struct WarpRequest {
  ptx::Space space = ptx::Space::Generic;
  const Lanes* base = nullptr;
  i64 offset = 0;
  int width = 0;
  Mask mask = 0;
  bool strong = false;
};

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
  // The same for the lanes of a request, in one go where they access one region: visit(lane, target), null after a
  // report. `source(lane)`: the bytes that it writes, or null for reads.
  template <class Source, class Visit>
  void eachTarget(Block& block, Warp& w, Actor a, const WarpRequest& r, const Source& source, const Visit& visit);
  void fence(std::uint32_t thread) { strong_.fence(thread); }
  // Forgets events that nothing names any more, if there are many; false if there still are more than marks can name.
  // `clusters`: those that run; no instruction is under way.
  [[nodiscard]] bool forgetEvents(const std::vector<std::unique_ptr<Cluster>>& clusters);
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
  [[nodiscard]] AddressTerms* addresses() const { return addresses_; }  // null: they are not followed as terms
  void follow(AddressTerms& addresses) { addresses_ = &addresses; }
  [[nodiscard]] u64 changes() const { return changes_; }  // stores so far that changed memory

 private:
  // The target of the lowest of the addresses, if all lanes can access one region of this block or of the launch.
  std::optional<Target> together(Block& block, Warp& w, const WarpRequest& r, const std::array<u64, kLanes>& addresses,
                                 u64& first);
  static void locate(Target& t, bool write);
  void check(Warp& w, const Actor& a, Accessor& who, const Target& t, int width, const std::uint8_t* from);
  static bool checkRow(Accessor& who, const Target& first, const std::array<u64, kLanes>& addresses, int width,
                       bool write);
  void countLanes(int step, const Block& block, const Warp& w, const WarpTargets& targets);

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
  AddressTerms* addresses_ = nullptr;
  bool storesDependent_ = false;  // the value that is being stored depends on an arbitrary argument
};

template <class Source, class Visit>
void MemoryUnit::eachTarget(Block& block, Warp& w, Actor a, const WarpRequest& r, const Source& source,
                            const Visit& visit) {
  std::array<u64, kLanes> addresses;
  for (std::size_t l = 0; l < kLanes; ++l) addresses[l] = (*r.base)[l] + static_cast<u64>(r.offset);
  u64 first = 0;
  const std::optional<Target> all = together(block, w, r, addresses, first);
  if (!all) {
    eachLane(r.mask, [&](int lane) {
      a.lane = lane;
      const auto t = access(block, w, a, r.space, addresses[static_cast<std::size_t>(lane)], r.width, source(lane));
      visit(lane, t ? &*t : nullptr);
    });
    return;
  }
  const bool write = events_[a.event].write;
  Accessor who(order_, events_, a.event, a.thread, write);
  const bool row = r.mask == ~Mask{0} && checkRow(who, *all, addresses, r.width, write);
  Target t = *all;
  eachLane(r.mask, [&](int lane) {
    a.lane = lane;
    const std::uint8_t* from = source(lane);
    t.offset = all->offset + static_cast<i64>(addresses[static_cast<std::size_t>(lane)] - first);
    locate(t, write);
    if (observer_ != nullptr) observer_->access(w, lane, t, r.width, write);
    if (!row) check(w, a, who, t, r.width, from);
    visit(lane, &t);
  });
}

}  // namespace tessera::kernel
