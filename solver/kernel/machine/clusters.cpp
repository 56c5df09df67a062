#include "solver/kernel/machine/clusters.h"

#include <fmt/format.h>

namespace tessera::kernel {

void Clusters::arrive(Block& block, Warp& w, int step, Mask lanes) {
  Cluster& cluster = *block.cluster;
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  if (!s.source->opcode.has("relaxed")) order_.releaseLanes(w.firstThread, lanes, lanes == w.live, cluster.open);
  bool twice = false;
  eachLane(lanes, [&](int l) {
    u64& phase = block.clusterPhase[threadOf(w, l)];
    if (phase == cluster.phase + 1) {
      twice = true;
      return;
    }
    phase = cluster.phase + 1;
    ++cluster.arrived;
  });
  const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(__builtin_ctz(lanes));
  if (twice)
    findings_.report(Verdict::Divergence, step, thread,
                     fmt::format("{} arrives again at the barrier of its cluster, without a wait in between",
                                 findings_.threadText(thread)));
  ++progress_;
  complete(cluster);
}

bool Clusters::wait(Block& block, Warp& w, int step, Mask lanes) {
  const Cluster& cluster = *block.cluster;
  bool over = true, without = false;
  eachLane(lanes, [&](int l) {
    const u64 phase = block.clusterPhase[threadOf(w, l)];
    over = over && phase <= cluster.phase;
    without = without || phase == 0;
  });
  const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(__builtin_ctz(lanes));
  if (without)
    findings_.report(
        Verdict::Divergence, step, thread,
        fmt::format("{} waits at the barrier of its cluster without an arrival", findings_.threadText(thread)));
  if (over)
    eachLane(lanes, [&](int l) { order_.acquire(w.firstThread + static_cast<std::uint32_t>(l), cluster.over); });
  return over;
}

void Clusters::ended(Block& block, Warp& w, Mask lanes) {
  Cluster& cluster = *block.cluster;
  eachLane(lanes, [&](int l) {
    if (block.clusterPhase[threadOf(w, l)] == cluster.phase + 1) --cluster.arrived;
    ++cluster.ended;
  });
  complete(cluster);
}

void Clusters::complete(Cluster& cluster) {
  if (cluster.arrived == 0 || cluster.arrived + cluster.ended < cluster.threads) return;
  ++cluster.phase;
  cluster.arrived = 0;
  cluster.over.join(cluster.open);
  cluster.open = {};
  ++progress_;
}

void Clusters::rank(Block& block, Warp& w, const Step& s, Mask lanes) const {
  const bool maps = s.source->opcode.base() == "mapa";
  const Lanes from = sourceOf(program_, w, s.ins[0]);
  const Lanes ranks = maps && s.ins.size() > 1 ? sourceOf(program_, w, s.ins[1]) : Lanes{};
  eachLane(lanes, [&](int l) {
    const u64 shared = from[l] & 0xffffffffu, of = shared >> kRankShift;
    const u64 result =
        maps ? (from[l] & ~u64{0xffffffff}) | sharedAddressIn(block, ranks[l] & 0xff, offsetInBlock(shared))
             : (of == 0 ? block.rank : of - 1);
    if (s.outs[0] != kNoPlace) w.lanes(s.outs[0])[l] = result;
  });
}

}  // namespace tessera::kernel
