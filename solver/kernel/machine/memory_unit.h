// MemoryUnit: the memories of a launch, and the checks and counts of each access to them.
//
//     unit.load(block, warp, step, mask)      ld: every lane of the mask, bounds, alignment, order, definedness
//     unit.access(...)                        one lane's access by any other instruction: copies, matrices
//
// A lane's access is checked in this order: bounds, alignment, order (a race), definedness. A lane whose access is out
// of bounds or misaligned does not access; a load then returns 0.
#pragma once

#include "solver/emulate/counts.h"
#include "solver/kernel/machine/findings.h"
#include "solver/kernel/order/strong.h"

namespace tessera::kernel {

// Where an address leads.
struct Target {
  Region* region = nullptr;  // null: the lane's local memory, or parameters
  std::uint8_t* bytes = nullptr;
  Chunk* chunk = nullptr;  // of its region
  i64 offset = 0;          // in its region
  ptx::Space space = ptx::Space::Generic;
};

// Who accesses, for the shadows: `event` and `lane`, and the thread whose knowledge decides.
struct Actor {
  std::uint32_t event = 0;
  int lane = 0;
  std::uint32_t thread = 0;
  bool async = false;
  int step = -1;
};

class MemoryUnit {
 public:
  MemoryUnit(const ptx::Module& module, const Program& program, const Launch& launch, Findings& findings, Order& order);

  void load(Block& block, Warp& w, int step, Mask mask);
  void store(Block& block, Warp& w, int step, Mask mask);
  void atomic(Block& block, Warp& w, int step, Mask mask);

  // One event for all lanes of a warp's instruction.
  [[nodiscard]] Actor actor(const Warp& w, int step, bool write, bool strong = false) {
    return actorAt(w, step, {w.firstThread, order_.now(w.firstThread), step, Domain::Thread, strong, write});
  }
  [[nodiscard]] Actor actorAt(const Warp& w, int step, const Event& event) {
    return {events_.add(event), 0, w.firstThread, false, step};
  }
  // `width` bytes at an address of a space, for lane `a.lane`; nullopt after a report. `read`: definedness is checked.
  // `from`: the bytes to be written, for races of equal values; null for reads.
  std::optional<Target> access(Block& block, Warp& w, const Actor& a, ptx::Space space, u64 address, int width,
                               const std::uint8_t* from);
  // Counts a warp's request: `addresses` by lane, of Target::offset, kInactive if inactive. A request to global memory
  // of an instruction that also accesses shared memory adds its sectors only.
  void count(int step, const Block& block, const Warp& w, ptx::Space space, const AtlasAccess& access,
             const std::array<i64, kLanes>& addresses, int argument);

  [[nodiscard]] std::vector<AccessLine> lines() const;
  [[nodiscard]] std::vector<std::byte> contents(std::size_t parameter);
  [[nodiscard]] const std::map<int, std::string>& notes() const { return notes_; }
  [[nodiscard]] u64 changes() const { return changes_; }  // stores so far that changed memory
  [[nodiscard]] const std::vector<std::uint8_t>& parameters() const { return parameters_; }
  [[nodiscard]] std::string elementOf(const Target& target) const;
  void startBlock(Block& block) const;
  [[nodiscard]] bool arbitrary() const { return dependence_.arbitrary; }  // some argument is
  void fence(std::uint32_t thread) { strong_.fence(thread); }
  void addThread(std::uint32_t agent, std::uint32_t thread) { agents_[agent] = thread; }  // of a bulk copy

 private:
  struct OfStep {
    graphene::LeafCounts counts;
    AccessLine line;
    bool used = false;
  };
  [[nodiscard]] std::optional<Target> resolve(Block& block, Warp& w, int lane, ptx::Space space, u64 address,
                                              int width);
  void outOfBounds(const Actor& a, ptx::Space space, u64 address, int width);
  void race(const Actor& a, const Target& target, int width, const Conflict& conflict, bool write, bool sameValue);
  // Whether the bytes of a target depend on an arbitrary argument, and from now on do.
  [[nodiscard]] bool depends(const Warp& w, int lane, const Target& t, int width) const;
  void setDepends(Warp& w, int lane, const Target& t, int width, bool value);
  [[nodiscard]] int argumentOf(const Region* region) const;
  void countLanes(int step, const Block& block, const Warp& w,
                  const std::array<std::optional<Target>, kLanes>& targets);

  const Program& program_;
  const Launch& launch_;
  Findings& findings_;
  Order& order_;
  Events events_;
  std::vector<std::unique_ptr<Region>> buffers_, globals_;  // by parameter (null for scalars), by module variable
  std::vector<std::uint8_t> parameters_;
  std::vector<OfStep> steps_;
  StrongAccesses strong_;
  u64 changes_ = 0;
  struct {
    bool arbitrary = false;  // some argument is
    bool value = false;  // the value that is being stored depends on one: for others it may differ from an equal one
    std::vector<std::pair<i64, i64>> parameters;  // offset and bytes of arbitrary scalars
  } dependence_;
  std::map<std::uint32_t, std::uint32_t> agents_;
  std::map<int, std::string> notes_;  // by step
};

}  // namespace tessera::kernel
