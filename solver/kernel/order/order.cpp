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
    : threads_(threads),
      warps_((threads + 31) / 32),
      time_(blocks, 1),
      simple_(blocks, 1),
      blocks_(blocks),
      handedOver_(passes) {}

Order::OfBlock& Order::of(std::uint32_t block) const {
  auto& at = blocks_[block];
  if (at) return *at;
  at = std::make_unique<OfBlock>();
  at->known.resize(threads_);
  at->async.resize(threads_);
  at->floors.resize(warps_);
  at->stale.assign(warps_, 1);
  return *at;
}

Order::OfThread& Order::of(std::uint32_t thread, bool async) const {
  OfBlock& block = of(blockOf(thread));
  return (async ? block.async : block.known)[thread % threads_];
}

void Order::ended(std::uint32_t thread) { blocks_[blockOf(thread)].reset(); }

bool Order::known(bool async, const Moment& m, std::uint32_t thread) const {
  const std::uint32_t block = blockOf(thread);
  const OfBlock& all = of(block);
  const OfThread& mine = (async ? all.async : all.known)[thread % threads_];
  const auto floorOf = [&](u64 key) {
    const std::uint32_t own = mine.more.floor(key);
    return async ? own : std::max(own, all.shared.floor(key));
  };
  if (m.domain == Domain::Thread) {
    if (blockOf(m.thread) == block) {
      if (m.time < mine.blockFloor) return true;
      if (warpOf(m.thread) == warpOf(thread) && m.time < mine.warpFloor) return true;
      if (simple_[block] && !async) return false;
    } else if (!mine.more.ofThreads() && (async || !all.shared.ofThreads())) {
      return false;
    } else if (m.time < floorOf(Knowledge::keyOf(Knowledge::Of::Block, Domain::Thread, blockOf(m.thread)))) {
      return true;
    }
    if (m.time < floorOf(Knowledge::keyOf(Knowledge::Of::Warp, Domain::Thread, warpOf(m.thread)))) return true;
  } else if (m.domain == Domain::Copies && !async && !all.copies.empty() && blockOf(m.thread) == block &&
             m.time < all.copies[m.thread % threads_]) {
    return true;
  }
  return m.time < floorOf(Knowledge::keyOf(Knowledge::Of::Agent, m.domain, m.thread));
}

bool Order::before(const Moment& m, std::uint32_t thread, bool async) const {
  if (async && (m.domain == Domain::Thread || m.domain == Domain::Copies)) return known(true, m, thread);
  return (m.domain == Domain::Thread && m.thread == thread) || known(false, m, thread);
}

const WarpFloors& Order::floors(std::uint32_t thread) const {
  OfBlock& block = of(blockOf(thread));
  const std::size_t warp = thread % threads_ / 32;
  if (block.stale[warp]) {
    block.floors[warp] = foundFloors(thread);
    block.stale[warp] = 0;
  }
  return block.floors[warp];
}

WarpFloors Order::foundFloors(std::uint32_t thread) const {
  const std::uint32_t block = blockOf(thread), inBlock = thread % threads_ / 32 * 32;
  const OfBlock& all = of(block);
  const OfThread& first = all.known[inBlock];
  WarpFloors out;
  out.firstOfBlock = block * threads_;
  out.firstThread = out.firstOfBlock + inBlock;
  out.threads = threads_;
  out.simple = simple_[block] != 0;
  out.alone = !all.shared.ofThreads();
  for (std::uint32_t t = inBlock; t < std::min(inBlock + 32, threads_); ++t) {
    const OfThread& one = all.known[t];
    if (one.blockFloor != first.blockFloor || one.warpFloor != first.warpFloor) return out;
    out.alone = out.alone && !one.more.ofThreads();
  }
  out.same = true;
  out.block = first.blockFloor;
  out.warp = first.warpFloor;
  out.copies = all.copies.empty() ? nullptr : all.copies.data();
  return out;
}

Order::Third Order::third(const Moment& a, const Moment& b, std::uint32_t thread, bool copies) const {
  const std::uint32_t blockA = blockOf(a.thread), blockB = blockOf(b.thread), block = blockOf(thread);
  if (handedOver_ || !simple_[blockA] || !simple_[blockB] || !simple_[block]) return Third::Keep;
  if (blockA != blockB) return Third::Drop;  // no block knows both, and each is unordered with all others
  if (blockA != block) return Third::Replace;
  if (copies) return Third::Keep;
  const OfThread& mine = of(thread, false);
  if (a.time < mine.blockFloor || b.time < mine.blockFloor) return Third::Keep;
  const std::uint32_t warpA = warpOf(a.thread), warp = warpOf(thread);
  if (warpA != warpOf(b.thread)) return Third::Drop;
  if (warpA != warp) return Third::Replace;
  return a.thread != b.thread && a.time >= mine.warpFloor && b.time >= mine.warpFloor ? Third::Drop : Third::Keep;
}

// What all threads of the block know, as entries.
void Order::giveShared(std::uint32_t block, Knowledge& into) const {
  const OfBlock& all = of(block);
  into.join(all.shared);
  Knowledge copies;
  for (std::uint32_t t = 0; t < all.copies.size(); ++t)
    copies.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Copies, block * threads_ + t), all.copies[t]);
  into.join(copies);
}

void Order::give(bool async, std::uint32_t thread, Knowledge& into) const {
  const OfThread& mine = of(thread, async);
  into.join(mine.more);
  if (!async) giveShared(blockOf(thread), into);
  into.raise(Knowledge::keyOf(Knowledge::Of::Block, Domain::Thread, blockOf(thread)), mine.blockFloor);
  if (mine.warpFloor > mine.blockFloor)
    into.raise(Knowledge::keyOf(Knowledge::Of::Warp, Domain::Thread, warpOf(thread)), mine.warpFloor);
}

void Order::take(bool async, std::uint32_t thread, const Knowledge& from) {
  OfThread& mine = of(thread, async);
  const u64 block = Knowledge::keyOf(Knowledge::Of::Block, Domain::Thread, blockOf(thread));
  const u64 warp = Knowledge::keyOf(Knowledge::Of::Warp, Domain::Thread, warpOf(thread));
  mine.blockFloor = std::max(mine.blockFloor, from.floor(block));
  mine.warpFloor = std::max(mine.warpFloor, from.floor(warp));
  mine.more.join(from);
  mine.more.prune([&](const Knowledge::Entry& e) { return e.key != block && e.key != warp; });
}

void Order::release(std::uint32_t thread, Handover& into) {
  give(false, thread, into.known);
  into.known.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Thread, thread), now(thread) + 1);
  if (asyncUsed_) give(true, thread, into.async);
  tick(blockOf(thread));
}

void Order::releaseLanes(std::uint32_t firstThread, std::uint32_t mask, bool all, Handover& into) {
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((mask >> l & 1) == 0) continue;
    const std::uint32_t thread = firstThread + l;
    give(false, thread, into.known);
    if (!all) into.known.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Thread, thread), now(thread) + 1);
    if (asyncUsed_) give(true, thread, into.async);
  }
  if (all)
    into.known.raise(Knowledge::keyOf(Knowledge::Of::Warp, Domain::Thread, warpOf(firstThread)), now(firstThread) + 1);
  tick(blockOf(firstThread));
}

void Order::acquire(std::uint32_t thread, const Handover& from) {
  const std::uint32_t block = blockOf(thread);
  if (simple_[block]) of(block).stale.assign(warps_, 1);
  simple_[block] = 0;
  take(false, thread, from.known);
  of(block).stale[thread % threads_ / 32] = 1;
  if (asyncUsed_) take(true, thread, from.async);
}

void Order::agentsKnown(std::uint32_t thread, Domain domain, Knowledge& into) const {
  const auto add = [&](const Knowledge& all) {
    for (const Knowledge::Entry& e : all.entries())
      if (e.key >> 36 == Knowledge::keyOf(Knowledge::Of::Agent, domain, 0) >> 36) into.raise(e.key, e.time);
  };
  add(of(thread, false).more);
  add(of(blockOf(thread)).shared);
}

void Order::learn(std::uint32_t thread, Domain domain, std::uint32_t time, std::uint32_t agent) {
  of(thread, false).more.raise(Knowledge::keyOf(Knowledge::Of::Agent, domain, agent), time);
}

void Order::fenceAsync(std::uint32_t thread) {
  asyncUsed_ = true;
  OfThread& mine = of(thread, true);
  const OfThread& all = of(thread, false);
  mine.blockFloor = std::max(mine.blockFloor, all.blockFloor);
  mine.warpFloor = std::max(mine.warpFloor, all.warpFloor);
  mine.more.join(all.more);
  giveShared(blockOf(thread), mine.more);
  mine.more.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Thread, thread), now(thread) + 1);
  tick(blockOf(thread));
}

void Order::meet(const std::vector<std::uint32_t>& threads, bool whole) {
  if (threads.empty()) return;
  if (whole) return meetBlock(threads);
  Handover all;
  for (const std::uint32_t t : threads) {
    give(false, t, all.known);
    all.known.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Thread, t), now(t) + 1);
    if (asyncUsed_) give(true, t, all.async);
  }
  tick(blockOf(threads.front()));
  for (const std::uint32_t t : threads) acquire(t, all);
}

void Order::meetBlock(const std::vector<std::uint32_t>& threads) {
  const std::uint32_t block = blockOf(threads.front()), first = block * threads_;
  OfBlock& all = of(block);
  const std::uint32_t time = tick(block);
  bool any = false;
  for (const std::uint32_t t : threads) {
    OfThread& one = all.known[t - first];
    one.blockFloor = one.warpFloor = time;
    for (const Knowledge::Entry& e : one.more.entries()) {
      const auto agent = static_cast<std::uint32_t>(e.key);
      if (e.key >> 36 == static_cast<u64>(Domain::Copies) && agent - first < threads_) {
        if (all.copies.empty()) all.copies.resize(threads_);
        all.copies[agent - first] = std::max(all.copies[agent - first], e.time);
      } else {
        all.shared.raise(e.key, e.time);
        any = true;
      }
    }
    one.more.clear();
  }
  // Entries of the block's own threads are below the new floor.
  if (any)
    all.shared.prune([&](const Knowledge::Entry& e) {
      if (e.key >> 36 == 0) return blockOf(static_cast<std::uint32_t>(e.key)) != block;
      if (e.key >> 40 == static_cast<u64>(Knowledge::Of::Warp))
        return static_cast<std::uint32_t>(e.key) / warps_ != block;
      return true;
    });
  if (asyncUsed_) {  // what the threads have fenced, and no more
    Knowledge fenced;
    for (const std::uint32_t t : threads) give(true, t, fenced);
    for (const std::uint32_t t : threads) take(true, t, fenced);
  }
  simple_[block] = 1;
  all.stale.assign(warps_, 1);
}

void Order::meetWarp(std::uint32_t firstThread, std::uint32_t mask) {
  const std::uint32_t block = blockOf(firstThread);
  const std::uint32_t inBlock = firstThread % threads_, lanes = std::min<std::uint32_t>(32, threads_ - inBlock);
  const std::uint32_t full = lanes == 32 ? ~0u : (1u << lanes) - 1;
  if ((mask & full) == 0) return;
  if ((mask & full) != full) {
    std::vector<std::uint32_t> threads;
    for (std::uint32_t l = 0; l < lanes; ++l)
      if ((mask >> l & 1) != 0) threads.push_back(firstThread + l);
    meet(threads, false);
    return;
  }
  OfBlock& all = of(block);
  OfThread* const known = all.known.data() + inBlock;
  std::uint32_t blockFloor = 0;
  bool any = asyncUsed_;
  for (std::uint32_t l = 0; l < lanes; ++l) {
    blockFloor = std::max(blockFloor, known[l].blockFloor);
    any = any || !known[l].more.empty();
  }
  if (any) {
    Handover together;
    for (std::uint32_t l = 0; l < lanes; ++l) {
      together.known.join(known[l].more);
      if (asyncUsed_) give(true, firstThread + l, together.async);
    }
    for (std::uint32_t l = 0; l < lanes; ++l) {
      known[l].more = together.known;
      if (asyncUsed_) take(true, firstThread + l, together.async);
    }
  }
  const std::uint32_t time = tick(block);
  for (std::uint32_t l = 0; l < lanes; ++l) {
    known[l].blockFloor = blockFloor;
    known[l].warpFloor = time;
  }
  all.stale[inBlock / 32] = 1;
}

}  // namespace tessera::kernel
