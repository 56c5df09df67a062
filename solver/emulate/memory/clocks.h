// Clocks: which actions of other threads each thread of a block is ordered after, if barriers count arrivals
// (mbarrier).
//
//     thread 0   writes %s[0] at clock 0   arrives at %full (its clock becomes 1)
//     thread 7   waits for the phase       knows thread 0 up to clock 0: the write is before everything it does next
//     thread 9   waits for nothing         does not know it: its read of %s[0] is a race
//
// Each thread has a vector clock: known[t][u] is how far t knows u; what u did at clock c is ordered before t if c <
// known[t][u]. An arrival merges the thread's knowledge into the barrier (release); a wait takes what the barrier had
// at the end of the phase (acquire). `sync` and `syncwarp` share the knowledge of all threads of a group. TMA copies
// are agents, one per barrier: agent b at clock n is what arrives in phase n of barrier b, and a thread that has waited
// for that phase knows it.
//
// A second set of clocks describes the asynchronous proxy, through which TMA and wgmma access shared memory: a thread's
// writes are known there once it, or a thread that knows them, has executed a fence.async before it passes them on.
//
// Law: `knows` is reachability in the graph of program order, releases and acquires (tests/emulate walks the graph).
//
// Source: PTX ISA, memory consistency model, causality order; Lamport's and Mattern's clocks.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::graphene {

class Clocks {
 public:
  using Row = std::vector<std::uint32_t>;
  struct Knowledge {
    Row known, async;
  };

  // Agents: threads 0 .. threads - 1, then one per barrier for its copies.
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
  // By agent u: the clocks c that satisfy knows(thread, u, c) are those below row[u], for u != thread.
  [[nodiscard]] const Row& knownBy(std::size_t thread) const { return rows_[thread].known; }
  // The same as knows(), seen through the asynchronous proxy.
  [[nodiscard]] bool knowsAsync(std::size_t thread, std::size_t other, std::uint32_t clock) const {
    return clock < rows_[thread].async[other];
  }

  void release(std::size_t thread, Knowledge& into);
  void acquire(std::size_t thread, const Knowledge& from);
  void fence(std::size_t thread);                      // fence.async
  void meet(const std::vector<std::size_t>& threads);  // a barrier of the block, or of some lanes of a warp

 private:
  static void join(Row& into, const Row& from);
  // Advances the clock: the thread's next actions are not covered by what others know so far.
  void step(std::size_t thread) { ++now_[thread]; }

  std::size_t agents_ = 0;
  std::vector<Knowledge> rows_;  // by thread
  Row now_;
};

}  // namespace tessera::graphene
