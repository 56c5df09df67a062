#include "solver/kernel/order/order.h"

#include <algorithm>

namespace tessera::kernel {

// ---- knowledge

std::uint32_t Knowledge::floor(u64 key) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), key,
                                   [](const Entry& e, u64 wanted) { return e.key < wanted; });
  return at != entries_.end() && at->key == key ? at->time : 0;
}

void Knowledge::raise(u64 key, std::uint32_t time) {
  if (time == 0) return;
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), key,
                                   [](const Entry& e, u64 wanted) { return e.key < wanted; });
  if (at != entries_.end() && at->key == key)
    at->time = std::max(at->time, time);
  else
    entries_.insert(at, {key, time});
}

void Knowledge::join(const Knowledge& other) {
  if (other.entries_.empty()) return;
  if (entries_.empty()) {
    entries_ = other.entries_;
    return;
  }
  if (other.entries_.size() < 3) {
    for (const Entry& e : other.entries_) raise(e.key, e.time);
    return;
  }
  std::vector<Entry> both;
  both.reserve(entries_.size() + other.entries_.size());
  auto a = entries_.begin();
  auto b = other.entries_.begin();
  while (a != entries_.end() || b != other.entries_.end()) {
    if (b == other.entries_.end() || (a != entries_.end() && a->key < b->key)) {
      both.push_back(*a++);
    } else if (a == entries_.end() || b->key < a->key) {
      both.push_back(*b++);
    } else {
      both.push_back({a->key, std::max(a->time, b->time)});
      ++a;
      ++b;
    }
  }
  entries_ = std::move(both);
}

// ---- order

Order::Order(std::uint32_t blocks, std::uint32_t threads, bool passes)
    : threads_(threads), warps_((threads + 31) / 32), time_(blocks, 1), simple_(blocks, 1), handedOver_(passes) {
  for (View* view : {&known_, &async_}) {
    view->threads.resize(std::size_t{blocks} * threads);
    view->shared.resize(blocks);
  }
}

bool Order::known(const View& view, const Moment& m, std::uint32_t thread) const {
  const OfThread& mine = view.threads[thread];
  const std::uint32_t block = blockOf(thread);
  const auto floorOf = [&](u64 key) {
    const std::uint32_t own = mine.more.floor(key);
    return view.shared[block] ? std::max(own, view.shared[block]->floor(key)) : own;
  };
  if (m.domain == Domain::Thread) {
    if (blockOf(m.thread) == block) {
      if (m.time < mine.blockFloor) return true;
      if (warpOf(m.thread) == warpOf(thread) && m.time < mine.warpFloor) return true;
      if (simple_[block] && &view == &known_) return false;
    } else if (mine.more.empty() && !view.shared[block]) {
      return false;
    } else if (m.time < floorOf(Knowledge::keyOf(Knowledge::Of::Block, Domain::Thread, blockOf(m.thread)))) {
      return true;
    }
    if (m.time < floorOf(Knowledge::keyOf(Knowledge::Of::Warp, Domain::Thread, warpOf(m.thread)))) return true;
  }
  return m.time < floorOf(Knowledge::keyOf(Knowledge::Of::Agent, m.domain, m.thread));
}

bool Order::before(const Moment& m, std::uint32_t thread, bool async) const {
  if (async && (m.domain == Domain::Thread || m.domain == Domain::Copies)) return known(async_, m, thread);
  return (m.domain == Domain::Thread && m.thread == thread) || known(known_, m, thread);
}

Order::Third Order::third(const Moment& a, const Moment& b, std::uint32_t thread) const {
  const std::uint32_t blockA = blockOf(a.thread), blockB = blockOf(b.thread), block = blockOf(thread);
  if (handedOver_ || !simple_[blockA] || !simple_[blockB] || !simple_[block]) return Third::Keep;
  if (blockA != blockB) return Third::Drop;  // no block knows both, and each is unordered with all others
  if (blockA != block) return Third::Replace;
  const OfThread& mine = known_.threads[thread];
  if (a.time < mine.blockFloor || b.time < mine.blockFloor) return Third::Keep;
  const std::uint32_t warpA = warpOf(a.thread), warp = warpOf(thread);
  if (warpA != warpOf(b.thread)) return Third::Drop;
  if (warpA != warp) return Third::Replace;
  return a.thread != b.thread && a.time >= mine.warpFloor && b.time >= mine.warpFloor ? Third::Drop : Third::Keep;
}

void Order::give(const View& view, std::uint32_t thread, Knowledge& into) const {
  const OfThread& mine = view.threads[thread];
  into.join(mine.more);
  if (view.shared[blockOf(thread)]) into.join(*view.shared[blockOf(thread)]);
  into.raise(Knowledge::keyOf(Knowledge::Of::Block, Domain::Thread, blockOf(thread)), mine.blockFloor);
  if (mine.warpFloor > mine.blockFloor)
    into.raise(Knowledge::keyOf(Knowledge::Of::Warp, Domain::Thread, warpOf(thread)), mine.warpFloor);
}

void Order::take(View& view, std::uint32_t thread, const Knowledge& from) {
  OfThread& mine = view.threads[thread];
  const u64 block = Knowledge::keyOf(Knowledge::Of::Block, Domain::Thread, blockOf(thread));
  const u64 warp = Knowledge::keyOf(Knowledge::Of::Warp, Domain::Thread, warpOf(thread));
  mine.blockFloor = std::max(mine.blockFloor, from.floor(block));
  mine.warpFloor = std::max(mine.warpFloor, from.floor(warp));
  mine.more.join(from);
  mine.more.prune([&](const Knowledge::Entry& e) { return e.key != block && e.key != warp; });
}

void Order::release(std::uint32_t thread, Handover& into) {
  give(known_, thread, into.known);
  into.known.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Thread, thread), now(thread) + 1);
  if (asyncUsed_) give(async_, thread, into.async);
  tick(blockOf(thread));
}

void Order::releaseLanes(std::uint32_t firstThread, std::uint32_t mask, bool all, Handover& into) {
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((mask >> l & 1) == 0) continue;
    const std::uint32_t thread = firstThread + l;
    give(known_, thread, into.known);
    if (!all) into.known.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Thread, thread), now(thread) + 1);
    if (asyncUsed_) give(async_, thread, into.async);
  }
  if (all)
    into.known.raise(Knowledge::keyOf(Knowledge::Of::Warp, Domain::Thread, warpOf(firstThread)), now(firstThread) + 1);
  tick(blockOf(firstThread));
}

void Order::acquire(std::uint32_t thread, const Handover& from) {
  simple_[blockOf(thread)] = 0;
  take(known_, thread, from.known);
  if (asyncUsed_) take(async_, thread, from.async);
}

void Order::agentsKnown(std::uint32_t thread, Domain domain, Knowledge& into) const {
  const auto add = [&](const Knowledge& all) {
    for (const Knowledge::Entry& e : all.entries())
      if (e.key >> 36 == Knowledge::keyOf(Knowledge::Of::Agent, domain, 0) >> 36) into.raise(e.key, e.time);
  };
  add(known_.threads[thread].more);
  if (const auto& shared = known_.shared[blockOf(thread)]) add(*shared);
}

void Order::learn(std::uint32_t thread, Domain domain, std::uint32_t time, std::uint32_t agent) {
  known_.threads[thread].more.raise(Knowledge::keyOf(Knowledge::Of::Agent, domain, agent), time);
}

void Order::fenceAsync(std::uint32_t thread) {
  asyncUsed_ = true;
  OfThread& mine = async_.threads[thread];
  const OfThread& all = known_.threads[thread];
  mine.blockFloor = std::max(mine.blockFloor, all.blockFloor);
  mine.warpFloor = std::max(mine.warpFloor, all.warpFloor);
  mine.more.join(all.more);
  if (known_.shared[blockOf(thread)]) mine.more.join(*known_.shared[blockOf(thread)]);
  mine.more.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Thread, thread), now(thread) + 1);
  tick(blockOf(thread));
}

void Order::meet(const std::vector<std::uint32_t>& threads, bool whole) {
  if (threads.empty()) return;
  const std::uint32_t block = blockOf(threads.front());
  if (!whole) {
    Handover all;
    for (const std::uint32_t t : threads) {
      give(known_, t, all.known);
      all.known.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Thread, t), now(t) + 1);
      if (asyncUsed_) give(async_, t, all.async);
    }
    tick(block);
    for (const std::uint32_t t : threads) acquire(t, all);
    return;
  }
  const std::uint32_t time = tick(block);
  for (View* view : {&known_, &async_}) {
    if (view == &async_ && !asyncUsed_) break;
    bool any = false;
    for (const std::uint32_t t : threads) any = any || !view->threads[t].more.empty();
    if (view == &async_) {  // what the threads have fenced, and no more
      Knowledge all;
      for (const std::uint32_t t : threads) give(*view, t, all);
      for (const std::uint32_t t : threads) take(*view, t, all);
      continue;
    }
    for (const std::uint32_t t : threads) view->threads[t].blockFloor = view->threads[t].warpFloor = time;
    if (!any) continue;
    auto all = std::make_shared<Knowledge>();
    if (view->shared[block]) *all = *view->shared[block];
    for (const std::uint32_t t : threads) {
      all->join(view->threads[t].more);
      view->threads[t].more = {};
    }
    // Entries of the block's own threads are below the new floor.
    all->prune([&](const Knowledge::Entry& e) {
      if (e.key >> 36 == 0) return blockOf(static_cast<std::uint32_t>(e.key)) != block;
      if (e.key >> 40 == static_cast<u64>(Knowledge::Of::Warp))
        return static_cast<std::uint32_t>(e.key) / warps_ != block;
      return true;
    });
    view->shared[block] = std::move(all);
  }
  simple_[block] = 1;
}

void Order::meetWarp(std::uint32_t firstThread, std::uint32_t mask) {
  const std::uint32_t block = blockOf(firstThread);
  const std::uint32_t inBlock = firstThread % threads_, lanes = std::min<std::uint32_t>(32, threads_ - inBlock);
  const std::uint32_t full = lanes == 32 ? ~0u : (1u << lanes) - 1;
  std::vector<std::uint32_t> threads;
  for (std::uint32_t l = 0; l < lanes; ++l)
    if ((mask >> l & 1) != 0) threads.push_back(firstThread + l);
  if (threads.empty()) return;
  if ((mask & full) != full) {
    meet(threads, false);
    return;
  }
  std::uint32_t blockFloor = 0;
  bool any = asyncUsed_;
  for (const std::uint32_t t : threads) {
    blockFloor = std::max(blockFloor, known_.threads[t].blockFloor);
    any = any || !known_.threads[t].more.empty();
  }
  if (any) {
    Handover all;
    for (const std::uint32_t t : threads) {
      all.known.join(known_.threads[t].more);
      if (asyncUsed_) give(async_, t, all.async);
    }
    for (const std::uint32_t t : threads) {
      known_.threads[t].more = all.known;
      if (asyncUsed_) take(async_, t, all.async);
    }
  }
  const std::uint32_t time = tick(block);
  for (const std::uint32_t t : threads) {
    known_.threads[t].blockFloor = blockFloor;
    known_.threads[t].warpFloor = time;
  }
}

}  // namespace tessera::kernel
