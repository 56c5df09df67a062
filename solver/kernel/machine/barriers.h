// Barriers: bar.sync, bar.arrive and bar.red of a block, and bar.warp.sync.
//
//     bar.sync 0        every warp of the block arrives; then all threads know what all have done
//     bar.sync 1, 64    two warps; bar.arrive 1, 64 arrives without waiting
//
// A warp arrives when none of its lanes can continue. Lanes that have returned, or wait at another barrier, are
// a divergence: an aligned barrier has to be reached by all threads of its warp together, and one without a count by
// all threads of the block.
//
// Source: PTX ISA 9.0, 9.7.13 (parallel synchronization).
#pragma once

#include "solver/kernel/machine/findings.h"

namespace tessera::kernel {

class Barriers {
 public:
  Barriers(const Program& program, Findings& findings, Order& order)
      : program_(program), findings_(findings), order_(order) {}

  // The lanes reach bar.arrive.
  void arrive(Block& block, Warp& w, int step, Mask lanes);
  // The lanes reach bar.warp.sync; it completes if all its members have.
  void warpArrive(Warp& w, int step, Mask lanes);
  // No lane of the warp can run: lanes that wait for each other continue, with a report, or the warp arrives at its
  // barriers. True if some lane can run now.
  bool settle(Block& block, Warp& w);
  // A warp has ended: barriers that wait for all threads may be complete.
  void ended(Block& block);
  [[nodiscard]] u64 progress() const { return progress_; }

 private:
  struct Call {
    std::size_t number = 0;
    std::uint32_t expected = 0;
    bool exists = true;
  };
  [[nodiscard]] Call callOf(Warp& w, int step, int lane) const;
  // The lanes arrive at the barrier with this call.
  void expect(const Block& block, const Warp& w, int step, Mask lanes, NamedBarrier& b, const Call& call);
  [[nodiscard]] bool complete(const Block& block, const NamedBarrier& b) const;
  void release(Block& block, std::size_t number);
  void divergence(const Warp& w, int step, Mask missing, const char* what);
  [[nodiscard]] const Lanes& in(Warp& w, const Step& s, std::size_t k) const { return sourceOf(program_, w, s.ins[k]); }

  const Program& program_;
  Findings& findings_;
  Order& order_;
  u64 progress_ = 0;
};

}  // namespace tessera::kernel
