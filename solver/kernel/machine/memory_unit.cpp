#include "solver/kernel/machine/memory_unit.h"

#include <algorithm>
#include <cstring>

#include "solver/kernel/machine/reduction.h"

namespace tessera::kernel {

using ptx::Space;

std::optional<Target> MemoryUnit::access(Block& block, Warp& w, const Actor& a, Space space, u64 address, int width,
                                         const std::uint8_t* from) {
  const bool write = from != nullptr;
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
  Chunk& chunk = t->region->chunk(t->offset);
  const i64 within = Region::within(t->offset);
  t->chunk = &chunk;
  t->bytes = chunk.data.data() + within;
  if (observer_ != nullptr) observer_->access(w, a.lane, *t, width, write);
  const auto conflict = chunk.shadow.note(order_, events_, within, width, {a.event, static_cast<std::uint8_t>(a.lane)},
                                          a.me(), write, a.async);
  if (conflict) {
    const Event& other = events_[conflict->other.event];
    // An atomic and an ordinary write of an equal value race.
    const bool ordinary = !events_[a.event].strong && !other.strong;
    const bool same =
        write && conflict->otherWrites && ordinary && std::memcmp(t->bytes, from, static_cast<std::size_t>(width)) == 0;
    // Equal for these arguments; for others they may differ.
    found_.race(a, *t, width, other, *conflict, write,
                !same              ? Verdict::Race
                : storesDependent_ ? Verdict::Unknown
                                   : Verdict::Benign);
  }
  if (chunk.defined.empty()) return t;
  std::uint8_t* defined = chunk.defined.data() + within;
  if ((!write || a.modifies) && std::memchr(defined, 0, static_cast<std::size_t>(width)) != nullptr) {
    // Without arguments the question is whether the kernel is right for every contents of memory.
    if (memories_.arbitrary()) {
      dependence_.set(w, a.lane, *t, width, true);
      found_.neverWritten(a, *t);
    } else {
      found_.uninitialised(a, *t, width);
    }
  }
  if (write) std::memset(defined, 1, static_cast<std::size_t>(width));
  return t;
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

void MemoryUnit::countLanes(int step, const Block& block, const Warp& w,
                            const std::array<std::optional<Target>, kLanes>& targets) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  std::array<i64, kLanes> addresses;
  addresses.fill(kInactive);
  const Target* any = nullptr;
  int argument = -2;
  for (int l = 0; l < kLanes; ++l) {
    if (!targets[l] || targets[l]->region == nullptr) continue;
    if (any != nullptr && targets[l]->space != any->space) continue;
    any = &*targets[l];
    addresses[l] = any->offset;
    if (argument == -2) argument = memories_.argumentOf(any->region);
  }
  if (any == nullptr) return;
  const bool shared = any->space == Space::Shared;
  const auto direction = s.kind == Step::Kind::Load ? AccessDirection::Read : AccessDirection::Write;
  const auto access = vectorAccess(direction, shared ? MemorySpace::Shared : MemorySpace::Global, s.width * s.count);
  if (access) record_.add(step, block, w, any->space, *access, addresses, std::max(argument, -1));
}

// ---- loads, stores, atomics

void MemoryUnit::load(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const Lanes& base = sourceOf(program_, w, s.ins[s.address]);
  const int width = s.width * s.count;
  const u64 keep = s.outBits >= 64 ? ~u64{0} : (u64{1} << s.outBits) - 1;
  Actor a = actor(w, step, false, s.strong);
  std::array<std::optional<Target>, kLanes> targets;
  eachLane(mask, [&](int lane) {
    a.lane = lane;
    const auto t = access(block, w, a, s.space, base[lane] + static_cast<u64>(s.offset), width, nullptr);
    if (t && s.strong && t->region != nullptr) strong_.read(a.thread + lane, {t->region, t->offset}, s.acquires);
    targets[lane] = t;
    const bool dependent = dependence_.tracks() && t && (s.strong || dependence_.any(w, lane, *t, width));
    for (std::size_t k = 0; k < s.outs.size(); ++k) {
      if (s.outs[k] == kNoPlace) continue;
      if (dependence_.tracks()) {
        Mask& at = w.depends[static_cast<std::size_t>(s.outs[k])];
        at = (at & ~(Mask{1} << lane)) | static_cast<Mask>(dependent) << lane;
      }
      const int part = s.width == 16 ? 8 : s.width;
      u64 value = 0;
      if (t) std::memcpy(&value, t->bytes + static_cast<i64>(k) * part, static_cast<std::size_t>(part));
      if (s.isSigned && part < 8 && (value >> (part * 8 - 1) & 1) != 0) value |= ~u64{0} << (part * 8);
      w.lanes(s.outs[k])[lane] = value & keep;
    }
    if (symbolic_ != nullptr) symbolic_->load(w, s, lane, t);
  });
  if (s.space != Space::Param && s.space != Space::Local) countLanes(step, block, w, targets);
}

void MemoryUnit::store(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const auto in = [&](std::size_t k) -> const Lanes& { return sourceOf(program_, w, s.ins[k]); };
  const Lanes& base = in(static_cast<std::size_t>(s.address));
  const int width = s.width * s.count, part = s.width == 16 ? 8 : s.width;
  const auto first = static_cast<std::size_t>(s.address) + 1;
  Actor a = actor(w, step, true, s.strong);
  std::array<std::optional<Target>, kLanes> targets;
  eachLane(mask, [&](int lane) {
    a.lane = lane;
    alignas(16) std::array<std::uint8_t, 32> bytes{};
    for (std::size_t k = 0; k * part < static_cast<std::size_t>(width) && k + s.address + 1 < s.ins.size(); ++k)
      std::memcpy(bytes.data() + k * part, &in(s.address + 1 + k)[lane], static_cast<std::size_t>(part));
    bool dependent = false;
    for (std::size_t k = first; dependence_.tracks() && k < s.ins.size(); ++k)
      dependent = dependent || (s.ins[k] >= 0 && (w.depends[static_cast<std::size_t>(s.ins[k])] >> lane & 1) != 0);
    storesDependent_ = dependent && memories_.arbitrary();
    const auto t = access(block, w, a, s.space, base[lane] + static_cast<u64>(s.offset), width, bytes.data());
    storesDependent_ = false;
    targets[lane] = t;
    if (!t) return;
    if (s.strong && t->region != nullptr) strong_.write(a.thread + lane, {t->region, t->offset}, s.releases, false);
    if (t->region != nullptr && std::memcmp(t->bytes, bytes.data(), static_cast<std::size_t>(width)) != 0) ++changes_;
    std::memcpy(t->bytes, bytes.data(), static_cast<std::size_t>(width));
    if (dependence_.tracks()) dependence_.set(w, lane, *t, width, dependent);
    if (symbolic_ != nullptr) symbolic_->store(w, s, lane, *t);
  });
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
  std::array<std::optional<Target>, kLanes> targets;
  eachLane(mask, [&](int lane) {
    a.lane = lane;
    std::array<std::uint8_t, 32> bytes{};
    const auto t =
        access(block, w, a, s.space, base[lane] + static_cast<u64>(s.offset), s.width * s.count, bytes.data());
    targets[lane] = t;
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
