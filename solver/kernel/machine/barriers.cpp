#include "solver/kernel/machine/barriers.h"

#include <fmt/format.h>

namespace tessera::kernel {

Barriers::Call Barriers::callOf(Warp& w, int step, int lane) const {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const bool reduces = s.source->opcode.has("red");
  const std::size_t operands = s.ins.size() - (reduces && !s.ins.empty() ? 1 : 0);
  Call call;
  if (operands > 0) {
    call.number = in(w, s, 0)[lane] % 16;
    call.exists = in(w, s, 0)[lane] < 16;
  }
  if (operands > 1) call.expected = static_cast<std::uint32_t>(in(w, s, 1)[lane]);
  return call;
}

void Barriers::divergence(const Warp& w, int step, Mask missing, const char* what) {
  if (missing == 0) return;
  const int lane = __builtin_ctz(missing);
  findings_.report(Verdict::Divergence, step, w.firstThread + static_cast<std::uint32_t>(lane),
                   fmt::format("{} {}", findings_.threadText(w.firstThread + static_cast<std::uint32_t>(lane)), what));
}

void Barriers::expect(const Block& block, const Warp& w, int step, Mask lanes, NamedBarrier& b, const Call& call) {
  const auto all = static_cast<std::uint32_t>(block.warps.size()) * kLanes;
  const auto threads = [&](std::uint32_t given) { return given != 0 ? given : all; };
  if (b.arrived != 0 && threads(b.expected) != threads(call.expected))
    divergence(w, step, lanes, "gives this barrier another number of threads than those that arrived before it");
  if (call.expected % kLanes != 0)
    divergence(w, step, lanes, "gives this barrier a number of threads that is not a multiple of 32");
  if (!call.exists) divergence(w, step, lanes, "waits at a barrier that does not exist: a block has 0 to 15");
  b.expected = call.expected;
}

void Barriers::arrive(Block& block, Warp& w, int step, Mask lanes) {
  const Call call = callOf(w, step, __builtin_ctz(lanes));
  NamedBarrier& b = block.barriers[call.number];
  expect(block, w, step, lanes, b, call);
  b.onlyWaits = false;
  b.arrived += 32;
  eachLane(lanes, [&](int l) { order_.release(w.firstThread + static_cast<std::uint32_t>(l), b.handover); });
  ++progress_;
  if (complete(block, b)) release(block, call.number);
}

void Barriers::warpArrive(Warp& w, int step, Mask lanes) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  w.wait(lanes, Wait::WarpBarrier);
  eachLane(lanes, [&](int l) {
    w.members[l] = s.ins.empty() ? w.born : static_cast<Mask>(in(w, s, 0)[l]);
    w.pc[l] = step;
  });
  Mask unnamed = 0;
  eachLane(lanes, [&](int l) { unnamed |= (Mask{1} << l) & ~w.members[l]; });
  divergence(w, step, unnamed, "executes this bar.warp.sync, whose member mask does not name it");
  const Mask there = w.waitingFor(Wait::WarpBarrier);
  for (Mask rest = lanes; rest != 0;) {
    const Mask members = w.members[__builtin_ctz(rest)];
    Mask same = 0;
    eachLane(there, [&](int l) { same |= w.members[l] == members ? Mask{1} << l : 0; });
    rest &= ~same;
    if ((members & w.live & ~same) != 0) continue;
    order_.meetWarp(w.firstThread, same);
    w.wake(same);
    eachLane(same, [&](int l) { ++w.pc[l]; });
  }
}

bool Barriers::settle(Block& block, Warp& w) {
  // Lanes that wait for lanes that cannot come.
  if (const Mask warp = w.waitingFor(Wait::WarpBarrier); warp != 0) {
    const int lane = __builtin_ctz(warp);
    divergence(w, w.pc[lane], w.members[lane] & w.live & ~warp,
               "is named by this bar.warp.sync, but cannot reach it: it waits elsewhere");
    order_.meetWarp(w.firstThread, warp);
    w.wake(warp);
    eachLane(warp, [&](int l) { ++w.pc[l]; });
    return true;
  }
  const Mask here = w.waitingFor(Wait::Barrier);
  if (here == 0) return false;
  // One arrival for each step at which lanes wait.
  Mask left = 0;
  eachLane(here, [&](int l) {
    bool counted = false;
    for (const NamedBarrier& b : block.barriers)
      for (const auto& [warp, lanes] : b.waiting) counted = counted || (warp == w.index && (lanes >> l & 1) != 0);
    left |= counted ? 0 : Mask{1} << l;
  });
  const Mask arriving = left;
  while (left != 0) {
    const int first = __builtin_ctz(left), step = w.pc[first];
    Mask same = 0;
    eachLane(left, [&](int l) { same |= w.pc[l] == step ? Mask{1} << l : 0; });
    left &= ~same;
    const ptx::Instruction& source = *program_.steps[static_cast<std::size_t>(step)].source;
    const bool aligned = source.opcode.base() == "bar" || source.opcode.has("aligned");
    const Call call = callOf(w, step, first);
    if (aligned && (same | w.waitingFor(Wait::Barrier)) != same && (arriving & ~same) != 0)
      divergence(w, step, arriving & ~same, "waits at another barrier than this one, although its warp is here");
    if ((w.born & ~w.live) != 0 && (aligned || call.expected == 0))
      divergence(w, step, w.born & ~w.live, "has returned before this barrier, at which its warp waits");
    NamedBarrier& b = block.barriers[call.number];
    expect(block, w, step, same, b, call);
    b.arrived += (same | (w.born & ~w.live)) == w.born ? 32 : static_cast<std::uint32_t>(__builtin_popcount(same));
    b.waiting.emplace_back(w.index, same);
    ++progress_;
    if (complete(block, b)) release(block, call.number);
  }
  return (w.live & ~w.waiting) != 0;
}

bool Barriers::complete(const Block& block, const NamedBarrier& b) const {
  if (b.waiting.empty() && b.arrived == 0) return false;
  if (b.expected != 0) return b.arrived >= b.expected;
  for (const Warp& w : block.warps) {
    Mask here = 0;
    for (const auto& [warp, lanes] : b.waiting)
      if (warp == w.index) here |= lanes;
    if ((w.live & ~here) != 0) return false;
  }
  return true;
}

void Barriers::ended(Block& block) {
  ++progress_;
  for (std::size_t k = 0; k < block.barriers.size(); ++k) {
    NamedBarrier& b = block.barriers[k];
    if (b.waiting.empty() || !complete(block, b)) continue;
    release(block, k);
  }
}

void Barriers::release(Block& block, std::size_t number) {
  NamedBarrier b = std::move(block.barriers[number]);
  block.barriers[number] = {};
  ++progress_;
  std::vector<std::uint32_t> threads;
  // Those that have ended did not come here: what they did is not ordered before it.
  std::size_t born = 0;
  for (const Warp& w : block.warps) born += static_cast<std::size_t>(__builtin_popcount(w.born));
  int anyStep = -1;
  i64 voters = 0, votes = 0;
  for (const auto& [index, lanes] : b.waiting) {
    Warp& w = block.warps[index];
    eachLane(lanes, [&](int l) {
      threads.push_back(w.firstThread + static_cast<std::uint32_t>(l));
      anyStep = w.pc[l];
      const Step& s = program_.steps[static_cast<std::size_t>(anyStep)];
      if (!s.source->opcode.has("red")) return;
      const bool inverted = (s.inverted >> (s.ins.size() - 1) & 1) != 0;
      ++voters;
      votes += (in(w, s, s.ins.size() - 1)[l] != 0) != inverted ? 1 : 0;
    });
  }
  if (b.expected == 0)
    for (const Warp& w : block.warps)
      if (w.done()) divergence(w, anyStep, w.born, "has returned before this barrier, which waits for all threads");
  if (b.onlyWaits) {
    order_.meet(threads, threads.size() == born);
  } else {
    for (const std::uint32_t t : threads) order_.release(t, b.handover);
    for (const std::uint32_t t : threads) order_.acquire(t, b.handover);
  }
  for (const auto& [index, lanes] : b.waiting) {
    Warp& w = block.warps[index];
    eachLane(lanes, [&](int l) {
      const Step& s = program_.steps[static_cast<std::size_t>(w.pc[l])];
      if (!s.outs.empty() && s.outs[0] != kNoPlace) {
        const ptx::Opcode& o = s.source->opcode;
        const i64 result = o.has("popc") ? votes : o.has("and") ? (votes == voters ? 1 : 0) : votes > 0 ? 1 : 0;
        w.lanes(s.outs[0])[l] = static_cast<u64>(result);
      }
      ++w.pc[l];
    });
    w.wake(lanes);
  }
}

}  // namespace tessera::kernel
