#include "solver/kernel/machine/async.h"

#include <fmt/format.h>

#include <cstring>

namespace tessera::kernel {

using ptx::Space;
using Kind = Step::Kind;

std::string Async::execute(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  failedWait_ = again_ = false;
  switch (s.kind) {
    case Kind::Copy:
      copy(block, w, step, mask);
      return {};
    case Kind::CopyCommit:
      commit(w, mask);
      return {};
    case Kind::CopyWait:
      wait(w, s, mask);
      return {};
    case Kind::CopyArrive:
      copyArrive(block, w, step, mask);
      return {};
    case Kind::Mbarrier:
      return mbarrier(block, w, step, mask);
    case Kind::Products:
      return products_.execute(block, w, step, mask);
    case Kind::ProductsControl:
      products_.control(w, s, mask);
      return {};
    case Kind::Tensor:
      return tensor(block, w, step, mask);
    case Kind::Bulk:
      return bulk(block, w, step, mask);
    case Kind::BulkCommit:
      bulk_.commit(w, mask);
      return {};
    case Kind::BulkWait:
      bulk_.wait(w, s, mask);
      return {};
    default:
      return fmt::format("{} is not supported", s.source->opcode.text);
  }
}

// ---- cp.async

void Async::copy(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const Lanes &to = in(w, s, static_cast<std::size_t>(s.address)),
              &source = in(w, s, static_cast<std::size_t>(s.address) + 1);
  const std::uint32_t time = w.copies++;
  const Actor reads = memory_.actorAt(w, step, {w.firstThread, time, step, Domain::Copies, false, false});
  const Actor writes = memory_.actorAt(w, step, {w.firstThread, time, step, Domain::Copies, false, true});
  const bool predicate = s.source->operands.size() > 3 && s.ins.size() > 2 &&
                         s.source->operands[3].kind == ptx::Operand::Kind::Register &&
                         s.function->declaration(s.source->operands[3].index).type == ptx::Type::Pred;
  // The bytes that a lane reads; the rest is filled with zeros.
  const auto bytesOf = [&](int lane) {
    if (s.ins.size() <= 2) return s.width;
    const u64 given = in(w, s, 2)[lane];
    const bool ignored = (given != 0) != ((s.inverted >> 2 & 1) != 0);
    return predicate ? (ignored ? 0 : s.width) : static_cast<int>(std::min<u64>(given, static_cast<u64>(s.width)));
  };
  std::array<std::array<std::uint8_t, 16>, kLanes> data{};
  std::array<std::optional<Target>, kLanes> from;
  WarpTargets sources, targets;
  const i64 offset{s.target};
  const auto copied = [&](int lane, const Target* t) {
    sources.add(lane, t);
    if (t == nullptr) return;
    from[static_cast<std::size_t>(lane)] = *t;
    std::memcpy(data[static_cast<std::size_t>(lane)].data(), t->bytes, static_cast<std::size_t>(bytesOf(lane)));
  };
  Mask whole = 0;
  eachLane(mask, [&](int lane) { whole |= static_cast<Mask>(bytesOf(lane) == s.width) << lane; });
  const auto nothing = [](int) { return nullptr; };
  if (whole != 0)
    memory_.eachTarget(block, w, reads, {Space::Global, &source, offset, s.width, whole}, nothing, copied);
  eachLane(mask & ~whole, [&](int lane) {
    if (const int bytes = bytesOf(lane); bytes > 0)
      memory_.eachTarget(block, w, reads, {Space::Global, &source, offset, bytes, Mask{1} << lane}, nothing, copied);
  });
  memory_.eachTarget(
      block, w, writes, {Space::Shared, &to, s.offset, s.width, mask},
      [&](int lane) { return data[static_cast<std::size_t>(lane)].data(); },
      [&](int lane, const Target* t) {
        targets.add(lane, t);
        if (t == nullptr) return;
        std::memcpy(t->bytes, data[static_cast<std::size_t>(lane)].data(), static_cast<std::size_t>(s.width));
        if (memory_.symbolic() != nullptr)
          memory_.symbolic()->carry(w, lane, nullptr, *t, s.width);  // zeros at the end
        if (const auto& read = from[static_cast<std::size_t>(lane)]) memory_.carry(w, lane, &*read, *t, bytesOf(lane));
      });
  if (const auto access = vectorAccess(AccessDirection::Read, MemorySpace::Global, s.width))
    memory_.record().add(step, block, w, Space::Global, *access, sources.offsets, -1);
  if (const auto access = vectorAccess(AccessDirection::Write, MemorySpace::Shared, s.width))
    memory_.record().add(step, block, w, Space::Shared, *access, targets.offsets, -1);
}

void Async::commit(Warp& w, Mask mask) {
  eachLane(mask, [&](int l) { w.groups[l].push_back(w.copies); });
}

void Async::wait(Warp& w, const Step& s, Mask mask) {
  eachLane(mask, [&](int l) {
    const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(l);
    auto& groups = w.groups[l];
    const auto pending = static_cast<std::size_t>(s.offset);
    std::uint32_t time = 0;
    if (s.isSigned)
      time = w.copies;  // wait_all: those that were not committed too
    else if (groups.size() > pending)
      time = groups[groups.size() - 1 - pending];
    order_.learn(thread, Domain::Copies, time, thread);
    if (groups.size() > 64) groups.erase(groups.begin(), groups.end() - 32);
  });
}

// ---- mbarriers

Mbarrier* Async::barrierAt(Block& block, Warp& w, int step, int lane, bool init) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  Actor a = memory_.actor(w, step, init, !init);
  a.lane = lane;
  const std::array<std::uint8_t, 8> bytes{1};
  const u64 address = in(w, s, static_cast<std::size_t>(s.address))[lane] + static_cast<u64>(s.offset);
  const auto t = memory_.access(block, w, a, Space::Shared, address, 8, init ? bytes.data() : nullptr);
  return t ? &(t->owner != nullptr ? *t->owner : block).mbarriers[t->offset] : nullptr;
}

void Async::complete(Mbarrier& b) {
  if (b.pending > 0 || b.bytes != 0) return;
  ++b.phase;
  ++progress_;
  b.pending = b.count;
  b.over.join(b.open);
}

void Async::copyArrive(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  eachLane(mask, [&](int l) {
    Mbarrier* b = barrierAt(block, w, step, l, false);
    if (b == nullptr) return;
    const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(l);
    b->open.known.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Copies, thread), w.copies);
    if (!s.isSigned) return;  // the copy's arrival is not pending: the count is unchanged
    --b->pending;
    complete(*b);
  });
  ++progress_;
}

std::string Async::mbarrier(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  const std::size_t first = static_cast<std::size_t>(s.address) + 1;
  if (o.has("pending_count")) {
    Lanes result{};
    for (int l = 0; l < kLanes; ++l) result[l] = in(w, s, 0)[l] >> 32;
    if (s.outs[0] != kNoPlace) eachLane(mask, [&](int l) { w.lanes(s.outs[0])[l] = result[l]; });
    return {};
  }
  const bool init = o.has("init"), waits = o.has("test_wait") || o.has("try_wait");
  eachLane(mask, [&](int l) {
    const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(l);
    const auto operand = [&](std::size_t k, u64 otherwise) {
      return first + k < s.ins.size() ? in(w, s, first + k)[l] & 0xffffffffu : otherwise;
    };
    Mbarrier* b = barrierAt(block, w, step, l, init || o.has("inval"));
    if (b == nullptr) return;
    u64 result = 0;
    if (init) {
      *b = {};
      b->count = b->pending = static_cast<i64>(operand(0, 1));
      ++progress_;
    } else if (waits) {
      const u64 wanted = operand(0, 0);
      const bool over = o.has("parity") ? (b->phase & 1) != (wanted & 1) : (b->phase & 0xffffffffu) != wanted;
      result = over ? 1 : 0;
      if (!over)
        failedWait_ = true;
      else if (o.has("relaxed"))
        tensor_.order().waitRelaxed(thread, b->over);
      else
        order_.acquire(thread, b->over);
    } else if (o.has("arrive") || o.has("arrive_drop")) {
      const bool expects = o.has("expect_tx");
      result = (b->phase & 0xffffffffu) | static_cast<u64>(std::max<i64>(b->pending, 0)) << 32;
      if (o.has("relaxed"))
        tensor_.order().arriveRelaxed(thread, b->open);
      else
        order_.release(thread, b->open);
      if (expects) b->bytes += static_cast<i64>(operand(0, 0));
      const i64 count = expects ? 1 : static_cast<i64>(operand(0, 1));
      if (count > b->pending)
        findings_.report(Verdict::Divergence, step, thread,
                         fmt::format("{} arrives {} times at an mbarrier that expects {} more in this phase",
                                     findings_.threadText(thread), count, b->pending));
      b->pending -= count;
      if (o.has("arrive_drop")) b->count -= count;
      ++progress_;
      complete(*b);
    } else if (o.has("expect_tx")) {
      b->bytes += static_cast<i64>(operand(0, 0));
    } else if (o.has("complete_tx")) {
      b->bytes -= static_cast<i64>(operand(0, 0));
      complete(*b);
    }
    if (!s.outs.empty() && s.outs[0] != kNoPlace) w.lanes(s.outs[0])[l] = result;
  });
  return {};
}

void Async::arrived(Block& block, Warp& w, int step, int lane, u64 at, i64 count, i64 bytes, const Handover& by) {
  Block* const owner = ownerOf(block, at);
  const auto offset = static_cast<i64>(offsetInBlock(at));
  const auto found = owner != nullptr ? owner->mbarriers.find(offset) : block.mbarriers.end();
  if (owner == nullptr || found == owner->mbarriers.end()) {
    const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(lane);
    findings_.report(
        Verdict::Uninitialised, step, thread,
        fmt::format("the {} of {} completes at byte {} of shared memory, where no mbarrier was initialised",
                    count > 0 ? "tcgen05.commit" : "copy", findings_.threadText(thread), offset));
    return;
  }
  Mbarrier& b = found->second;
  b.open.join(by);
  b.bytes -= bytes;
  b.pending -= count;
  complete(b);
}

std::string Async::bulk(Block& block, Warp& w, int step, Mask mask) {
  ++progress_;
  return bulk_.execute(block, w, step, mask, [&](int lane, i64 at, i64 bytes, const Handover& by) {
    arrived(block, w, step, lane, static_cast<u64>(at), 0, bytes, by);
  });
}

std::string Async::tensor(Block& block, Warp& w, int step, Mask mask) {
  std::string why = tensor_.execute(
      block, w, step, mask, [&](int lane, u64 at, const Handover& by) { arrived(block, w, step, lane, at, 1, 0, by); });
  again_ = tensor_.waits();
  if (!again_) ++progress_;
  return why;
}

void Async::ended(Block& block) {
  ++progress_;
  if (block.done()) tensor_.ended(block);
}

}  // namespace tessera::kernel
