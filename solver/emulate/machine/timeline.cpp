#include "solver/emulate/machine/timeline.h"

namespace tessera::graphene {

Tag tagOf(Timeline& now, Warp& w, int leaf, int lane) {
  if (w.noted != w.columns.clock()) {
    constexpr std::size_t most = std::size_t{1} << 23;
    w.noted = w.columns.clock();
    w.moment = ~std::uint32_t{0};
    const std::vector<i64> loops = w.columns.loopsOf(lane);
    if (!loops.empty() && now.moments.size() < most) {
      w.moment = static_cast<std::uint32_t>(now.moments.size() / loops.size());
      now.moments.insert(now.moments.end(), loops.begin(), loops.end());
    }
  }
  Tag out;
  out.leaf = leaf;
  out.block = static_cast<std::uint32_t>(now.block);
  out.thread = static_cast<std::uint16_t>(w.thread(lane));
  const bool clocks = now.clocks.active();
  out.phase = clocks ? now.clocks.now(out.thread) : static_cast<std::uint32_t>(now.phase);
  out.epoch = clocks ? 0 : w.epoch;
  out.moment = w.moment;
  return out;
}

}  // namespace tessera::graphene
