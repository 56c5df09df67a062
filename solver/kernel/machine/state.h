// Warps and blocks: where their lanes are, their registers and their memory.
//
// Lanes of a warp run together where they are at the same step. Of the groups of a warp that has diverged, the one in
// the deepest call, and there the one at the first step, runs next: lanes that skip a region wait for the others at its
// end. A lane that waits (at a barrier, or at an instruction that its warp executes together) is passed over.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "solver/kernel/code/program.h"
#include "solver/kernel/memory/region.h"
#include "solver/kernel/symbolic/slot.h"

namespace tessera::kernel {

// What a lane waits for.
enum class Wait : unsigned char { Nothing, Barrier, WarpBarrier, Together };

// The registers and the local memory of a warp.
struct WarpValues {
  std::vector<Lanes> file;
  std::vector<std::uint8_t> local;  // localBytes of each lane; without calls it is made on first use
  // By register, and by byte of local memory: lanes whose value depends on what dependence.h tracks; empty if nothing
  // is.
  std::vector<Mask> depends;
  std::vector<std::uint8_t> localDepends;
  WarpSlots slots;
  [[nodiscard]] Lanes& lanes(Place p) { return file[static_cast<std::size_t>(p)]; }
};

// cp.async: the number of the next copy instruction of this warp, and by lane the first number after each committed
// group. wgmma: the same for the products of the warp.
struct WarpCopies {
  // A register that a product still writes (its accumulator) or reads (of A).
  struct Flight {
    Place place = kNoPlace;
    std::uint32_t product = 0;
    int step = -1;
    bool accumulator = false;
  };
  std::vector<Flight> flying;
  bool fenced = false;  // wgmma.fence was executed
  std::uint32_t copies = 1, products = 1;
  std::vector<std::uint32_t> productGroups;
  std::array<std::vector<std::uint32_t>, kLanes> groups{};
};

struct Warp : WarpValues, WarpCopies {
  std::uint32_t index = 0;        // in its block
  std::uint32_t firstThread = 0;  // in the launch
  Mask born = 0, live = 0;        // lanes that exist, and that have not ended
  std::array<int, kLanes> pc{};
  std::array<Wait, kLanes> waits{};
  std::array<Mask, kLanes> members{};          // of the warp barrier that a lane waits at
  Mask waiting = 0;                            // lanes whose `waits` is not Nothing
  std::array<std::vector<int>, kLanes> calls;  // return steps
  // The group that runs: its lanes, and the first step of other lanes in a call as deep.
  Mask group = 0;
  int at = 0, meetsAt = INT32_MAX;
  [[nodiscard]] bool done() const { return live == 0; }
  void wait(Mask mask, Wait what) {
    waiting |= mask;
    for (int l = 0; l < kLanes; ++l)
      if ((mask >> l & 1) != 0) waits[l] = what;
  }
  void wake(Mask mask) {
    waiting &= ~mask;
    for (int l = 0; l < kLanes; ++l)
      if ((mask >> l & 1) != 0) waits[l] = Wait::Nothing;
  }
  [[nodiscard]] Mask waitingFor(Wait what) const {
    Mask out = 0;
    for (int l = 0; l < kLanes; ++l)
      if (waits[l] == what) out |= Mask{1} << l;
    return out & waiting;
  }
};

struct NamedBarrier {
  std::uint32_t expected = 0;  // threads; 0: all of the block
  std::uint32_t arrived = 0;
  std::vector<std::pair<std::uint32_t, Mask>> waiting;  // warps and lanes
  std::vector<std::uint32_t> threads;                   // that have arrived, those that do not wait included
  Handover handover;                                    // of those that do not wait
  bool onlyWaits = true;
  i64 votes = 0, voters = 0;  // bar.red
};

struct Mbarrier {
  i64 count = 0, pending = 0, bytes = 0;
  u64 phase = 0;
  Handover open, over;
};

struct Cluster;
class TensorMemory;

struct Block {
  std::uint32_t index = 0;     // in the launch
  std::uint32_t rank = 0;      // in its cluster
  Cluster* cluster = nullptr;  // null only while it is made
  std::array<std::uint32_t, 3> at{};
  std::vector<Warp> warps;
  Region shared{"shared", 0};
  std::shared_ptr<TensorMemory> tensor;  // null until the block uses it
  std::array<NamedBarrier, 16> barriers;
  std::map<i64, Mbarrier> mbarriers;  // by shared address
  // By thread: the first phase of the cluster's barrier that ends after its last arrival.
  std::vector<u64> clusterPhase;
  // Accesses by other blocks of the cluster to its shared memory: events and lanes.
  std::vector<std::pair<std::uint32_t, int>> remote;
  bool started = false;
  [[nodiscard]] bool done() const {
    return started && std::all_of(warps.begin(), warps.end(), [](const Warp& w) { return w.done(); });
  }
};

// The blocks that can access each other's shared memory, and their barrier (barrier.cluster).
struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;  // by rank
  i64 threads = 0, arrived = 0, ended = 0;     // all; in this phase, and alive; not alive
  u64 phase = 0;
  Handover open, over;
  [[nodiscard]] bool done() const {
    return std::all_of(blocks.begin(), blocks.end(), [](const auto& b) { return b->done(); });
  }
};

// Shared addresses of 32 bits: 24 bits in the block, and above them 0 for the own block, or a rank of the cluster + 1.
inline constexpr int kRankShift = 24;
[[nodiscard]] inline u64 offsetInBlock(u64 shared) { return shared & ((u64{1} << kRankShift) - 1); }
[[nodiscard]] inline u64 sharedAddressIn(const Block& from, u64 rank, u64 offset) {
  return rank == from.rank ? offset : offset | (rank + 1) << kRankShift;
}
// The block whose shared memory an address (without its window) leads to; null: there is none.
[[nodiscard]] inline Block* ownerOf(Block& block, u64 shared) {
  const u64 rank = shared >> kRankShift;
  if (rank == 0) return &block;
  const std::size_t blocks = block.cluster != nullptr ? block.cluster->blocks.size() : 1;
  return blocks > 1 && rank <= blocks ? block.cluster->blocks[static_cast<std::size_t>(rank - 1)].get() : nullptr;
}

// The lanes of a source: a constant, or a register of the warp.
[[nodiscard]] inline const Lanes& sourceOf(const Program& program, const WarpValues& w, Place p) {
  return p < 0 ? program.constants[static_cast<std::size_t>(~p)] : w.file[static_cast<std::size_t>(p)];
}

// The lanes of a mask, ascending.
template <class Visit>
void eachLane(Mask mask, const Visit& visit) {
  for (; mask != 0; mask &= mask - 1) visit(__builtin_ctz(mask));
}

}  // namespace tessera::kernel
