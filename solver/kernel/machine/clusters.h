// Clusters: what the blocks of a cluster share: addresses in each other's shared memory, and barrier.cluster.
//
//     mapa.shared::cluster.u32 %r, a, 1               a in the block of rank 1: a + (2 << 24); in that block, a itself
//     barrier.cluster.arrive; barrier.cluster.wait    every thread of the cluster; those that have ended count
//
// A thread arrives with a release, and waits for the end of the phase in which it arrived, with an acquire. Threads of
// a warp that arrive together give one entry (order.h).
//
// The encoding of shared::cluster addresses is not documented; this one leaves addresses of the own block as they are.
//
// Source: PTX ISA 9.0, 9.7.13.4 (barrier.cluster), 9.7.9.22 (mapa), 9.7.9.23 (getctarank).
#pragma once

#include "solver/kernel/machine/findings.h"

namespace tessera::kernel {

class Clusters {
 public:
  Clusters(const Program& program, Findings& findings, Order& order)
      : program_(program), findings_(findings), order_(order) {}

  void arrive(Block& block, Warp& w, int step, Mask lanes);
  // Whether the phases of all lanes have ended; then they know what was done before.
  bool wait(Block& block, Warp& w, int step, Mask lanes);
  // The lanes have ended.
  void ended(Block& block, Warp& w, Mask lanes);
  void rank(Block& block, Warp& w, const Step& s, Mask lanes) const;  // mapa, getctarank
  [[nodiscard]] u64 progress() const { return progress_; }

 private:
  void complete(Cluster& cluster);
  [[nodiscard]] static std::size_t threadOf(const Warp& w, int lane) {
    return std::size_t{w.index} * kLanes + static_cast<std::size_t>(lane);
  }

  const Program& program_;
  Findings& findings_;
  Order& order_;
  u64 progress_ = 0;
};

}  // namespace tessera::kernel
