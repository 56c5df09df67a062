#include "solver/emulate/machine/warp.h"

#include "core/base/mapped.h"

namespace tessera::graphene {

void WarpColumns::begin(const Plan& plan, i64 block, i64 first) {
  plan_ = &plan;
  blocks_.fill(block);
  for (int lane = 0; lane < kLanes; ++lane) threads_[lane] = first + lane;
  loops_.assign(plan.loops.size(), {});
  clock_ = 1;
  stepped_.assign(plan.loops.size(), 1);
  columns_.resize(plan.columns.size());
  computed_.assign(plan.columns.size(), 0);
  digits_.assign({blocks_.data(), threads_.data()});
  for (const LaneValues& values : loops_) digits_.push_back(values.data());
}

const LaneValues& WarpColumns::operator()(int index) {
  const Column& column = plan_->columns[index];
  u64& computed = computed_[index];
  bool current = computed != 0;
  for (const int l : column.loops) current = current && stepped_[l] <= computed;
  if (current) return columns_[index];
  column.program.runBlock(digits_, {}, kLanes, columns_[index].data(), scratch_);
  computed = clock_;
  return columns_[index];
}

std::vector<i64> WarpColumns::loopsOf(int lane) const {
  return mapped<i64>(loops_, [&](const LaneValues& values) { return values[lane]; });
}

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
  const auto thread = static_cast<std::uint16_t>(w.thread(lane));
  const bool clocks = now.clocks.active();
  const auto phase = clocks ? now.clocks.now(thread) : static_cast<std::uint32_t>(now.phase);
  const auto epoch = clocks ? std::uint16_t{0} : w.epoch;
  return {leaf, static_cast<std::uint32_t>(now.block), phase, thread, epoch, w.moment};
}

}  // namespace tessera::graphene
