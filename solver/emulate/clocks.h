// Clocks: what each thread of a block knows of the others, where barriers count arrivals (mbarrier) and order only those who come.
//
//     thread 0   writes %s[0] at clock 0   arrives at %full (its clock is 1 now)
//     thread 7   waits for the phase       knows thread 0 up to clock 0: the write is before whatever it does now
//     thread 9   has waited for nothing    does not: its read of %s[0] is a race
//
// A vector clock a thread: known[t][u] is how much thread t knows of u; what u did at clock c is before t when c < known[t][u].
// To arrive is to hand one's knowledge to the barrier (release), to wait is to take what it had at the end of the phase
// (acquire); `sync` and `syncwarp` make all of a group know what each does. TMA's copies are agents of their own, one for each
// barrier: agent b at clock n is what arrives in phase n of barrier b, and whoever has waited for that phase knows it.
//
// The same once more for the asynchronous proxy, through which TMA and wgmma see shared memory: a thread's writes are known
// there when it has passed a fence.async, or somebody who knew them has, before the knowledge went on.
//
// Law: `knows` is reachability in the graph of program order, releases and acquires (tests/emulate walks the graph).
//
// Source: PTX ISA, memory consistency model, causality order; Lamport's and Mattern's clocks.
#pragma once

#include <vector>

#include "core/base/types.h"

namespace tessera::graphene {

class Clocks {
 public:
  using Row = std::vector<std::uint32_t>;
  struct Knowledge {
    Row known, async;
  };

  // Agents: threads 0 .. threads - 1, then a barrier's copies each.
  void begin(std::size_t threads, std::size_t barriers);
  void end() { rows_.clear(); }
  [[nodiscard]] bool active() const { return !rows_.empty(); }
  [[nodiscard]] std::size_t agentOf(std::size_t barrier) const { return rows_.size() + barrier; }
  [[nodiscard]] Knowledge nothing() const { return {Row(agents_, 0), Row(agents_, 0)}; }

  [[nodiscard]] std::uint32_t now(std::size_t thread) const { return now_[thread]; }
  // What agent `other` did at `clock` is before what `thread` does now.
  [[nodiscard]] bool knows(std::size_t thread, std::size_t other, std::uint32_t clock) const {
    return thread == other || clock < rows_[thread].known[other];
  }
  // And seen through the asynchronous proxy.
  [[nodiscard]] bool knowsAsync(std::size_t thread, std::size_t other, std::uint32_t clock) const {
    return clock < rows_[thread].async[other];
  }

  void release(std::size_t thread, Knowledge& into);
  void acquire(std::size_t thread, const Knowledge& from);
  void fence(std::size_t thread);                      // fence.async
  void meet(const std::vector<std::size_t>& threads);  // a barrier of the block, or of some lanes of a warp

 private:
  static void join(Row& into, const Row& from);
  // What `thread` has done so far is over: what it does next is at a later clock.
  void step(std::size_t thread) { ++now_[thread]; }

  std::size_t agents_ = 0;
  std::vector<Knowledge> rows_;  // by thread
  Row now_;
};

}  // namespace tessera::graphene
