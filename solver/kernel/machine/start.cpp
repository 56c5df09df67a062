#include "solver/kernel/machine/start.h"

#include <algorithm>

namespace tessera::kernel {

void start(Block& block, std::array<std::uint32_t, 3> at, const Program& program, const Launch& launch, bool tracks,
           bool any) {
  const auto& g = launch.grid;
  const auto& t = launch.block;
  const std::uint32_t threads = t[0] * t[1] * t[2];
  const auto& c = launch.cluster;
  const std::uint32_t index = at[0] + g[0] * (at[1] + g[1] * at[2]), ranks = c[0] * c[1] * c[2];
  block.index = index;
  block.at = at;
  block.clusterPhase.assign((threads + 31) / 32 * kLanes, 0);
  block.started = true;
  block.warps.resize((threads + 31) / 32);
  const auto& entry = program.functions[0];
  for (std::uint32_t k = 0; k < block.warps.size(); ++k) {
    Warp& w = block.warps[k];
    w.index = k;
    w.firstThread = index * threads + k * 32;
    const std::uint32_t lanes = std::min<std::uint32_t>(32, threads - k * 32);
    w.born = w.live = lanes == 32 ? ~Mask{0} : (Mask{1} << lanes) - 1;
    w.pc.fill(entry.begin);
    w.file.assign(static_cast<std::size_t>(program.registers), Lanes{});
    if (tracks) {
      // Without arguments, what was never written has any value, and so has a clock.
      w.depends.assign(w.file.size(), any ? ~Mask{0} : 0);
      std::fill_n(w.depends.begin(), static_cast<std::ptrdiff_t>(kSpecials), Mask{0});
      w.depends[kClock] = ~Mask{0};
      w.localDepends.assign(static_cast<std::size_t>(program.localBytes) * kLanes, any ? 1 : 0);
    }
    // Otherwise it is made on first use: most kernels have no local variables.
    if (program.functions.size() > 1) w.local.assign(static_cast<std::size_t>(program.localBytes) * kLanes, 0);
    const auto all = [&](Place p, u64 value) { w.lanes(p).fill(value); };
    for (std::uint32_t l = 0; l < 32; ++l) {
      const std::uint32_t id = k * 32 + l;
      w.lanes(kTidX)[l] = id % t[0];
      w.lanes(kTidY)[l] = id / t[0] % t[1];
      w.lanes(kTidZ)[l] = id / t[0] / t[1];
      w.lanes(kLane)[l] = l;
      w.lanes(kMaskEq)[l] = u64{1} << l;
      w.lanes(kMaskLt)[l] = (u64{1} << l) - 1;
      w.lanes(kMaskLe)[l] = (u64{2} << l) - 1;
      w.lanes(kMaskGt)[l] = ~((u64{2} << l) - 1) & 0xffffffffu;
      w.lanes(kMaskGe)[l] = ~((u64{1} << l) - 1) & 0xffffffffu;
    }
    for (int d = 0; d < 3; ++d) {
      all(kNTidX + d, t[d]);
      all(kCtaX + d, block.at[d]);
      all(kNCtaX + d, g[d]);
      all(kClusterX + d, block.at[d] / c[d]);
      all(kNClusterX + d, g[d] / c[d]);
      all(kClusterCtaX + d, block.at[d] % c[d]);
      all(kClusterNCtaX + d, c[d]);
    }
    all(kClusterCtaRank, block.rank);
    all(kClusterNCtaRank, ranks);
    all(kExplicitCluster, ranks > 1 ? 1 : 0);
    all(kWarp, k);
    all(kNWarp, block.warps.size());
    all(kNSmId, 1);
    all(kDynamicShared, static_cast<u64>(launch.dynamicShared));
    all(kTotalShared, static_cast<u64>(program.dynamicShared + launch.dynamicShared));
    all(kAggrShared, static_cast<u64>(program.dynamicShared + launch.dynamicShared));
  }
}

}  // namespace tessera::kernel
