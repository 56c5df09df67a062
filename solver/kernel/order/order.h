// Order: which accesses are ordered before what a thread does now (happens-before), in every schedule.
//
//     thread 0    writes x at time 5    bar.sync: time becomes 6, and all threads of the block know everything before 6
//     thread 40   reads x               knows block 0 before 6: ordered
//     thread 41   of block 1 reads x    knows nothing of block 0: a race
//
// An agent acts: a thread, or the asynchronous copies that a thread has started (cp.async, bulk copies, wgmma). A
// moment is an agent and a time; the time of a block advances whenever one of its threads releases. What a thread knows
// is a floor for its block and one for its warp (everything before that time, by their threads), and entries for other
// agents. A barrier of the whole block raises the floors; a barrier of some warps, an mbarrier and an atomic pass
// entries.
//
// The same is kept twice: the second set is what the thread may pass to the asynchronous proxy (TMA, wgmma): it grows
// at fence.proxy.async.
//
// Law: before(m, t) is reachability in the graph of program order, releases and acquires (tests/kernel walks it).
//
// Source: PTX ISA 9.0, 8.9 (causality order), 8.5 (proxies); Lamport's and Mattern's clocks.
#pragma once

#include <memory>
#include <vector>

#include "core/base/types.h"

namespace tessera::kernel {

// Who acts on behalf of a thread. Copies: cp.async; Bulk: TMA and bulk copies; Products: wgmma; Tensor...: tcgen05
// (machine/tensor_order.h).
enum class Domain : unsigned char { Thread, Copies, Bulk, Products, Tensor, TensorLoads, TensorStores, TensorIssued };

struct Moment {
  std::uint32_t thread = 0;  // in the launch
  std::uint32_t time = 0;    // of its block; of a domain other than Thread: a number that the domain counts
  Domain domain = Domain::Thread;
  bool operator==(const Moment&) const = default;
};

// What an agent knows: a sorted list of floors.
class Knowledge {
 public:
  // `what`: an agent, a warp's threads, or a block's threads. Everything that they did before `time`.
  enum class Of : unsigned char { Agent, Warp, Block };
  struct Entry {
    u64 key = 0;
    std::uint32_t time = 0;
    bool operator==(const Entry&) const = default;
  };
  [[nodiscard]] static u64 keyOf(Of of, Domain domain, std::uint32_t number) {
    return (static_cast<u64>(of) << 40) | (static_cast<u64>(domain) << 36) | number;
  }
  [[nodiscard]] std::uint32_t floor(u64 key) const;
  void raise(u64 key, std::uint32_t time);
  void join(const Knowledge& other);
  // Keeps the entries for which keep(entry).
  template <class Keep>
  void prune(const Keep& keep) {
    std::erase_if(entries_, [&](const Entry& e) { return !keep(e); });
  }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  // Of threads: it has entries of what threads did, and not only of what copies and products did.
  [[nodiscard]] bool ofThreads() const {
    return !entries_.empty() && (entries_.front().key >> 36 == 0 || entries_.back().key >> 40 != 0);
  }
  void clear() { entries_.clear(); }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  bool operator==(const Knowledge&) const = default;

 private:
  std::vector<Entry> entries_;  // by key
};

// What is handed over: by a release, through a barrier, an mbarrier or an atomic.
struct Handover {
  Knowledge known, async;
  void join(const Handover& other) {
    known.join(other.known);
    async.join(other.async);
  }
};

// What all lanes of a warp know, without a search: floors of the threads of their block.
struct WarpFloors {
  std::uint32_t firstThread = 0;                // of the warp
  std::uint32_t firstOfBlock = 0, threads = 0;  // the threads of the block
  bool same = false;                            // the floors are those of every lane; otherwise the rest is not set
  bool simple = false;                          // no lane knows more of the block's threads than the floors say
  bool alone = false;                           // no lane knows anything of other blocks' threads
  std::uint32_t block = 0, warp = 0;            // everything that the block's, the warp's threads did before
  // What each thread of the block copied (Domain::Copies) before; null: nothing.
  const std::uint32_t* copies = nullptr;
  [[nodiscard]] bool inBlock(std::uint32_t thread) const { return thread - firstOfBlock < threads; }
};

class Order {
 public:
  // `threads` of each block; warps are 32 consecutive threads of a block. `passes`: threads may acquire from each other
  // other than at barriers of a whole block or a whole warp.
  Order(std::uint32_t blocks, std::uint32_t threads, bool passes);

  [[nodiscard]] std::uint32_t now(std::uint32_t thread) const { return time_[blockOf(thread)]; }
  [[nodiscard]] Moment moment(std::uint32_t thread) const { return {thread, now(thread), Domain::Thread}; }
  // Whether `thread` knows the moment; `async`: as seen by what it starts in the asynchronous proxy, which needs no
  // fence to know what bulk copies and products did: they are of that proxy.
  [[nodiscard]] bool before(const Moment& m, std::uint32_t thread, bool async = false) const;
  // Of the warp of `thread`; valid until one of its lanes synchronizes.
  [[nodiscard]] const WarpFloors& floors(std::uint32_t thread) const;
  [[nodiscard]] bool passes() const { return handedOver_; }

  // What to do with a third read, by `thread` now, beside two unordered ones by threads of warps that start with `a`
  // and `b`. Drop: every later access that is unordered with it is unordered with one of the two. Replace: the same
  // holds for the first of the two and the new one. Keep: all three are needed. `copies`: one of the three is by a
  // cp.async.
  enum class Third : unsigned char { Drop, Replace, Keep };
  [[nodiscard]] Third third(const Moment& a, const Moment& b, std::uint32_t thread, bool copies = false) const;

  void release(std::uint32_t thread, Handover& into);
  // The same for the lanes of a warp. `all`: those that are alive; they then share one entry.
  void releaseLanes(std::uint32_t firstThread, std::uint32_t mask, bool all, Handover& into);
  void acquire(std::uint32_t thread, const Handover& from);
  // Adds what `thread` knows of the agents of `domain`.
  void agentsKnown(std::uint32_t thread, Domain domain, Knowledge& into) const;
  // The thread knows what its agent of `domain` did before `time`: a wait.
  void learn(std::uint32_t thread, Domain domain, std::uint32_t time, std::uint32_t agent);
  void fenceAsync(std::uint32_t thread);
  // All `threads` know what any of them knows and has done. `whole`: they are all threads of the block.
  void meet(const std::vector<std::uint32_t>& threads, bool whole);
  // The same for the lanes of a warp: bar.warp.sync and other instructions that synchronize.
  void meetWarp(std::uint32_t firstThread, std::uint32_t mask);
  // The block of `thread` has ended: what its threads know is forgotten.
  void ended(std::uint32_t thread);

 private:
  struct OfThread {
    std::uint32_t blockFloor = 0, warpFloor = 0;
    Knowledge more;
  };
  // Why: a launch has up to 2^24 threads, but few blocks run at a time.
  struct OfBlock {
    std::vector<OfThread> known, async;
    Knowledge shared;                   // what all threads know
    std::vector<std::uint32_t> copies;  // and of the copies of each of them; empty: nothing
    std::vector<WarpFloors> floors;     // by warp
    std::vector<char> stale;            // by warp: its floors have to be found again
  };
  [[nodiscard]] std::uint32_t blockOf(std::uint32_t thread) const { return thread / threads_; }
  [[nodiscard]] std::uint32_t warpOf(std::uint32_t thread) const {
    return blockOf(thread) * warps_ + thread % threads_ / 32;
  }
  [[nodiscard]] OfBlock& of(std::uint32_t block) const;
  [[nodiscard]] OfThread& of(std::uint32_t thread, bool async) const;
  [[nodiscard]] bool known(bool async, const Moment& m, std::uint32_t thread) const;
  [[nodiscard]] WarpFloors foundFloors(std::uint32_t thread) const;
  void give(bool async, std::uint32_t thread, Knowledge& into) const;
  void giveShared(std::uint32_t block, Knowledge& into) const;
  void take(bool async, std::uint32_t thread, const Knowledge& from);
  void meetBlock(const std::vector<std::uint32_t>& threads);
  std::uint32_t tick(std::uint32_t block) { return ++time_[block]; }

  std::uint32_t threads_, warps_;
  std::vector<std::uint32_t> time_;
  std::vector<char> simple_;
  mutable std::vector<std::unique_ptr<OfBlock>> blocks_;  // made on first use
  bool asyncUsed_ = false;
  bool handedOver_;  // some thread may acquire
};

}  // namespace tessera::kernel
