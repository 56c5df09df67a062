#include "solver/kernel/machine/memory_unit.h"

#include <algorithm>
#include <cstring>

#include "solver/kernel/machine/reduction.h"

namespace tessera::kernel {

using ptx::Space;

std::optional<Target> MemoryUnit::access(Block& block, Warp& w, const Actor& a, Space space, u64 address, int width,
                                         const std::uint8_t* from) {
  std::optional<Target> t = memories_.resolve(block, w, a.lane, space, address, width);
  if (!t) {
    found_.outOfBounds(a, space, address, width);
    return std::nullopt;
  }
  if (t->offset % (width & -width) != 0) {
    found_.misaligned(a, *t, width);
    return std::nullopt;
  }
  if (t->region == nullptr) {
    if (t->space == Space::Local &&
        (t->offset < kLocalMargin || t->offset + width > program_.localBytes - kLocalMargin))
      found_.besideLocals(a, *t, width);
    return t;
  }
  if (t->remote) {
    auto& seen = t->owner->remote;
    if (seen.empty() || seen.back() != std::pair(a.event, a.lane)) seen.emplace_back(a.event, a.lane);
    if (t->owner->done()) found_.afterEnd(a, *t, width);
  }
  locate(*t, from != nullptr);
  if (observer_ != nullptr) observer_->access(w, a.lane, *t, width, from != nullptr);
  Accessor who(order_, events_, a.event, a.thread, from != nullptr, a.async);
  check(w, a, who, *t, width, from);
  return t;
}

void MemoryUnit::locate(Target& t, bool write) {
  t.chunk = write ? &t.region->ownChunk(t.offset) : &t.region->chunk(t.offset);
  t.bytes = t.chunk->data + Region::within(t.offset);
}

// Order and definedness.
void MemoryUnit::check(Warp& w, const Actor& a, Accessor& who, const Target& t, int width, const std::uint8_t* from) {
  const bool write = from != nullptr;
  Chunk& chunk = *t.chunk;
  const i64 within = Region::within(t.offset);
  const auto conflict = chunk.shadow.note(who, a.lane, within, width);
  if (conflict) {
    const Event& other = events_[conflict->other.event];
    // An atomic and an ordinary write of an equal value race.
    const bool ordinary = !events_[a.event].strong && !other.strong;
    const bool same =
        write && conflict->otherWrites && ordinary && std::memcmp(t.bytes, from, static_cast<std::size_t>(width)) == 0;
    // Equal for these arguments; for others they may differ.
    found_.race(a, t, width, other, *conflict, write,
                !same              ? Verdict::Race
                : storesDependent_ ? Verdict::Unknown
                                   : Verdict::Benign);
  }
  if (chunk.defined.empty()) return;
  std::uint8_t* defined = chunk.defined.data() + within;
  if ((!write || a.modifies) && std::memchr(defined, 0, static_cast<std::size_t>(width)) != nullptr) {
    // Without arguments the question is whether the kernel is right for every contents of memory.
    if (memories_.arbitrary()) {
      dependence_.set(w, a.lane, t, width, true);
      found_.neverWritten(a, t);
    } else {
      found_.uninitialised(a, t, width);
    }
  }
  if (write) std::memset(defined, 1, static_cast<std::size_t>(width));
}

std::optional<Target> MemoryUnit::together(Block& block, Warp& w, const WarpRequest& r,
                                           const std::array<u64, kLanes>& addresses, u64& first) {
  if (r.strong) return std::nullopt;  // strong accesses synchronize in between
  u64 last = 0, low = 0;
  first = ~u64{0};
  eachLane(r.mask, [&](int l) {
    first = std::min(first, addresses[static_cast<std::size_t>(l)]);
    last = std::max(last, addresses[static_cast<std::size_t>(l)]);
  });
  eachLane(r.mask, [&](int l) { low |= addresses[static_cast<std::size_t>(l)] - first; });
  auto all = memories_.resolveAll(block, w, r.space, first, last, r.width);
  if (!all || all->region == nullptr || all->remote) return std::nullopt;
  low |= static_cast<u64>(all->offset);
  return (low & static_cast<u64>((r.width & -r.width) - 1)) == 0 ? all : std::nullopt;
}

// One check for all lanes, if they access a row of a shadow. Otherwise nothing is noted.
bool MemoryUnit::checkRow(Accessor& who, const Target& first, const std::array<u64, kLanes>& addresses, int width,
                          bool write) {
  for (u64 l = 1; l < kLanes; ++l)
    if (addresses[l] != addresses[0] + l * static_cast<u64>(width)) return false;
  const i64 bytes = i64{width} * kLanes, within = Region::within(first.offset);
  if (within + bytes > kChunkBytes) return false;
  Chunk& chunk = first.region->chunk(first.offset);
  std::uint8_t* defined = chunk.defined.empty() ? nullptr : chunk.defined.data() + within;
  if (defined != nullptr && !write && std::memchr(defined, 0, static_cast<std::size_t>(bytes)) != nullptr) return false;
  if (!chunk.shadow.noteRow(who, within, width)) return false;
  if (defined != nullptr && write) std::memset(defined, 1, static_cast<std::size_t>(bytes));
  return true;
}

void MemoryUnit::ended(Block& block) {
  const auto knows = [&](const Moment& m) {
    for (const Warp& w : block.warps)
      for (std::uint32_t l = 0; l < kLanes; ++l)
        if ((w.born >> l & 1) != 0 && order_.before(m, w.firstThread + l)) return true;
    return false;
  };
  for (const auto& [event, lane] : block.remote) {
    if (knows(events_.moment(event, lane))) continue;
    Target target;
    target.space = Space::Shared;
    target.owner = &block;
    target.remote = true;
    const Event& e = events_[event];
    found_.afterEnd({event, 0, found_.threadOf(e, lane), false, e.step}, target, 0);
  }
  block.remote.clear();
}

bool MemoryUnit::forgetEvents(const std::vector<std::unique_ptr<Cluster>>& clusters) {
  if (!events_.full()) return true;
  const auto eachEvent = [&](const auto& visit) {
    const auto visitRegion = [&](Region& region) {
      region.eachShadow([&](Shadow& shadow) { shadow.eachEvent(visit); });
    };
    memories_.eachRegion(visitRegion);
    for (const auto& cluster : clusters)
      for (const auto& block : cluster->blocks) {
        visitRegion(block->shared);
        for (auto& [event, lane] : block->remote) visit(event);
      }
  };
  std::vector<char> used(events_.size(), 0);
  eachEvent([&](std::uint32_t& event) { used[event] = 1; });
  const std::vector<std::uint32_t> numbers = events_.keep(used);
  eachEvent([&](std::uint32_t& event) { event = numbers[event]; });
  return events_.size() < Events::kMost;
}

void MemoryUnit::countLanes(int step, const Block& block, const Warp& w, const WarpTargets& targets) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  if (targets.region == nullptr) return;
  const bool shared = targets.space == Space::Shared;
  const auto direction = s.kind == Step::Kind::Load ? AccessDirection::Read : AccessDirection::Write;
  const auto access = vectorAccess(direction, shared ? MemorySpace::Shared : MemorySpace::Global, s.width * s.count);
  if (access)
    record_.add(step, block, w, targets.space, *access, targets.offsets,
                std::max(memories_.argumentOf(targets.region), -1));
}

// ---- loads, stores, atomics

namespace {

// The low `part` bytes at each address, 0 where there is none.
template <class Part>
void loadParts(const std::array<std::uint8_t*, kLanes>& from, i64 offset, Lanes& out) {
  for (std::size_t l = 0; l < kLanes; ++l) {
    Part value = 0;
    if (from[l] != nullptr) std::memcpy(&value, from[l] + offset, sizeof value);
    out[l] = value;
  }
}

}  // namespace

void MemoryUnit::load(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const int width = s.width * s.count, part = s.width == 16 ? 8 : s.width;
  WarpTargets targets;
  Mask dependent = 0;
  const Actor a = actor(w, step, false, s.strong);
  const Lanes& base = sourceOf(program_, w, s.ins[static_cast<std::size_t>(s.address)]);
  eachTarget(
      block, w, a, {s.space, &base, s.offset, width, mask, s.strong}, [](int) { return nullptr; },
      [&](int lane, const Target* t) {
        targets.add(lane, t);
        if (t != nullptr && s.strong && t->region != nullptr)
          strong_.read(a.thread + static_cast<std::uint32_t>(lane), {t->region, t->offset}, s.acquires);
        if (dependence_.tracks() && t != nullptr && (s.strong || dependence_.any(w, lane, *t, width)))
          dependent |= Mask{1} << lane;
        if (symbolic_ != nullptr) symbolic_->load(w, s, lane, t);
      });
  const u64 keep = s.outBits >= 64 ? ~u64{0} : (u64{1} << s.outBits) - 1;
  for (std::size_t k = 0; k < s.outs.size(); ++k) {
    if (s.outs[k] == kNoPlace) continue;
    if (dependence_.tracks()) {
      Mask& at = w.depends[static_cast<std::size_t>(s.outs[k])];
      at = (at & ~mask) | dependent;
    }
    const i64 offset = static_cast<i64>(k) * part;
    Lanes values;
    switch (part) {
      case 1:
        loadParts<std::uint8_t>(targets.bytes, offset, values);
        break;
      case 2:
        loadParts<std::uint16_t>(targets.bytes, offset, values);
        break;
      case 4:
        loadParts<std::uint32_t>(targets.bytes, offset, values);
        break;
      default:
        loadParts<u64>(targets.bytes, offset, values);
        break;
    }
    const int sign = s.isSigned && part < 8 ? 64 - part * 8 : 0;
    Lanes& out = w.lanes(s.outs[k]);
    eachLane(mask, [&](int l) {
      out[static_cast<std::size_t>(l)] =
          static_cast<u64>(static_cast<i64>(values[static_cast<std::size_t>(l)] << sign) >> sign) & keep;
    });
  }
  if (s.space != Space::Param && s.space != Space::Local) countLanes(step, block, w, targets);
}

void MemoryUnit::store(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const auto first = static_cast<std::size_t>(s.address) + 1;
  const int width = s.width * s.count;
  const auto part = static_cast<std::size_t>(s.width == 16 ? 8 : s.width);
  const std::size_t parts = std::min(static_cast<std::size_t>(width) / part, s.ins.size() - first);
  alignas(16) std::array<std::uint8_t, 32> bytes{};
  std::array<const Lanes*, 32> from{};
  for (std::size_t k = 0; k < parts; ++k) from[k] = &sourceOf(program_, w, s.ins[first + k]);
  bool dependent = false;
  WarpTargets targets;
  const Actor a = actor(w, step, true, s.strong);
  const auto source = [&](int lane) {
    for (std::size_t k = 0; k < parts; ++k) {
      const u64 value = (*from[k])[static_cast<std::size_t>(lane)];
      if (part == 4)
        std::memcpy(bytes.data() + k * 4, &value, 4);
      else
        std::memcpy(bytes.data() + k * part, &value, part);
    }
    dependent = false;
    for (std::size_t k = first; dependence_.tracks() && k < s.ins.size(); ++k)
      dependent = dependent || (s.ins[k] >= 0 && (w.depends[static_cast<std::size_t>(s.ins[k])] >> lane & 1) != 0);
    storesDependent_ = dependent && memories_.arbitrary();
    return bytes.data();
  };
  const Lanes& base = sourceOf(program_, w, s.ins[static_cast<std::size_t>(s.address)]);
  eachTarget(block, w, a, {s.space, &base, s.offset, width, mask, s.strong}, source, [&](int lane, const Target* t) {
    targets.add(lane, t);
    if (t == nullptr) return;
    if (s.strong && t->region != nullptr)
      strong_.write(a.thread + static_cast<std::uint32_t>(lane), {t->region, t->offset}, s.releases, false);
    const auto size = static_cast<std::size_t>(width);
    if (t->region != nullptr && std::memcmp(t->bytes, bytes.data(), size) != 0) ++changes_;
    std::memcpy(t->bytes, bytes.data(), size);
    if (dependence_.tracks()) dependence_.set(w, lane, *t, width, dependent);
    if (symbolic_ != nullptr) symbolic_->store(w, s, lane, *t);
  });
  storesDependent_ = false;
  if (s.space != Space::Param && s.space != Space::Local) countLanes(step, block, w, targets);
}

void MemoryUnit::atomic(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const auto in = [&](std::size_t k) -> const Lanes& { return sourceOf(program_, w, s.ins[k]); };
  const Lanes& base = in(static_cast<std::size_t>(s.address));
  // 128 bits are two parts; they are exchanged together.
  const std::size_t count = static_cast<std::size_t>(s.width == 16 ? 2 : s.count);
  const std::size_t width = s.width == 16 ? 8 : static_cast<std::size_t>(s.width);
  const std::size_t first = static_cast<std::size_t>(s.address) + 1;
  Actor a = actor(w, step, true, true);
  a.modifies = s.message != "exch";
  WarpTargets targets;
  eachLane(mask, [&](int lane) {
    a.lane = lane;
    std::array<std::uint8_t, 32> bytes{};
    const auto t =
        access(block, w, a, s.space, base[lane] + static_cast<u64>(s.offset), s.width * s.count, bytes.data());
    targets.add(lane, t ? &*t : nullptr);
    if (symbolic_ != nullptr && t) symbolic_->reduce(w, s, lane, *t);
    bool equal = true;
    for (std::size_t k = 0; t && k < count; ++k)
      equal = equal && std::memcmp(t->bytes + k * width, &in(first + k)[lane], width) == 0;
    for (std::size_t k = 0; k < count; ++k) {
      u64 old = 0;
      if (t) std::memcpy(&old, t->bytes + k * width, width);
      const u64 value = in(first + k)[lane];
      u64 next = 0;
      if (s.message == "cas") {
        next = equal ? in(first + count + k)[lane] : old;
      } else {
        const Operation* operation =
            s.operation >= 0 ? &program_.operations[static_cast<std::size_t>(s.operation)] : nullptr;
        next = reduced(s.message, operation, old, value);
      }
      if (t) {
        if (std::memcmp(t->bytes + k * width, &next, width) != 0) ++changes_;
        std::memcpy(t->bytes + k * width, &next, width);
      }
      if (k < s.outs.size() && s.outs[k] != kNoPlace) w.lanes(s.outs[k])[lane] = old;
    }
    // What an atomic returns, and leaves, depends on the order of blocks and warps.
    if (t) dependence_.carry(w, lane, nullptr, *t, s.width * s.count);
    dependence_.results(w, s, Mask{1} << lane);
    if (!t || t->region == nullptr) return;
    strong_.read(a.thread + lane, {t->region, t->offset}, s.acquires);
    strong_.write(a.thread + lane, {t->region, t->offset}, s.releases, true);
  });
  countLanes(step, block, w, targets);
}

}  // namespace tessera::kernel
