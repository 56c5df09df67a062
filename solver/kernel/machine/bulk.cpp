#include "solver/kernel/machine/bulk.h"

#include <fmt/format.h>

#include <cstring>

namespace tessera::kernel {

using ptx::Space;

std::string Bulk::execute(Block& block, Warp& w, int step, Mask mask, const Arrive& arrive) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  if (o.has("prefetch")) return {};
  if (o.base() == "st" || o.base() == "red") return store(block, w, step, mask, arrive);
  std::string why;
  eachLane(mask, [&](int lane) {
    Request r;
    if (std::string reason = read(block, w, s, lane, r); !reason.empty()) {
      why = std::move(reason);
      return;
    }
    const std::uint32_t agent = agents_++, thread = w.firstThread + static_cast<std::uint32_t>(lane);
    memory_.found().addThread(agent, thread);
    perform(block, w, step, lane, r, agent);
    if (r.mbarrier) {
      Handover by;
      by.known.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Bulk, agent), 2);
      by.async.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Bulk, agent), 2);
      arrive(static_cast<i64>(*r.mbarrier & 0xffffffffu), r.bytes, by);
    } else {
      threads_[thread].open.push_back(agent);
    }
  });
  return why;
}

std::string Bulk::read(Block& block, Warp& w, const Step& s, int lane, Request& r) {
  const ptx::Opcode& o = s.source->opcode;
  const bool load = o.has("mbarrier::complete_tx::bytes"), tensor = o.has("tensor");
  if (o.has("multicast::cluster") || s.addresses.size() < 2) return fmt::format("{} is not supported", o.text);
  if (load) r.mbarrier = at(w, s.addresses.back(), lane);
  const bool toGlobal = o.text.find(".global.shared") != std::string::npos;
  r.toSpace = toGlobal ? Space::Global : Space::Shared;
  r.fromSpace = toGlobal || o.text.find("shared::cluster.shared") != std::string::npos ? Space::Shared : Space::Global;
  if (o.base() == "cp" && o.has("reduce")) {
    r.type = o.type();
    for (const std::string_view name : {"add", "min", "max", "and", "or", "xor", "inc", "dec"})
      if (o.has(name)) r.operation = name;
    if (r.operation.empty() || !tensor) return fmt::format("{} is not supported", o.text);
  }
  if (tensor) return readTensor(block, w, s, lane, r, !toGlobal);
  if (s.ins.empty()) return fmt::format("{} has no size", o.text);
  const u64 to = at(w, s.addresses[0], lane), from = at(w, s.addresses[1], lane);
  r.bytes = static_cast<i64>(value(w, s, 0, lane) & 0xffffffffu);
  constexpr i64 kMost = 1 << 20;
  if (r.bytes > kMost) return fmt::format("a bulk copy of {} bytes is too large", r.bytes);
  for (i64 k = 0; k < r.bytes; k += 16)
    r.pieces.push_back(
        {to + static_cast<u64>(k), static_cast<i64>(from) + k, static_cast<int>(std::min<i64>(16, r.bytes - k))});
  return {};
}

std::string Bulk::readTensor(Block& block, Warp& w, const Step& s, int lane, Request& r, bool load) {
  (void)block;
  (void)w;
  (void)lane;
  (void)r;
  (void)load;
  return fmt::format("{} is not supported", s.source->opcode.text);
}

void Bulk::perform(Block& block, Warp& w, int step, int lane, const Request& r, std::uint32_t agent) {
  const auto event = [&](bool write) {
    Actor a = memory_.actorAt(w, step, {agent - static_cast<std::uint32_t>(lane), 1, step, Domain::Bulk, false, write});
    a.lane = lane;
    return a;
  };
  Actor reads = event(false), writes = event(true);
  reads.async = r.fromSpace == Space::Shared;
  writes.async = r.toSpace == Space::Shared;
  for (const Piece& p : r.pieces) {
    std::array<std::uint8_t, 16> data{};
    std::optional<Target> from;
    if (p.from >= 0) {
      from = memory_.access(block, w, reads, r.fromSpace, static_cast<u64>(p.from), p.bytes, nullptr);
      if (from) std::memcpy(data.data(), from->bytes, static_cast<std::size_t>(p.bytes));
    }
    const auto to = memory_.access(block, w, writes, r.toSpace, p.to, p.bytes, data.data());
    if (!to) continue;
    std::memcpy(to->bytes, data.data(), static_cast<std::size_t>(p.bytes));
    if (from) memory_.dependence().carry(w, lane, &*from, *to, p.bytes);
  }
}

std::string Bulk::store(Block& block, Warp& w, int step, Mask mask, const Arrive& arrive) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  if (o.base() == "red" || s.addresses.size() < 2) return fmt::format("{} is not supported", o.text);
  const int width = ptx::bitsOf(o.type()) / 8;
  eachLane(mask, [&](int lane) {
    const std::uint32_t agent = agents_++;
    memory_.found().addThread(agent, w.firstThread + static_cast<std::uint32_t>(lane));
    Actor a = memory_.actorAt(w, step, {agent - static_cast<std::uint32_t>(lane), 1, step, Domain::Bulk, false, true});
    a.lane = lane;
    i64 bytes = 0;
    for (std::size_t k = 0; k < s.ins.size(); ++k) {
      std::array<std::uint8_t, 8> data{};
      const u64 given = value(w, s, k, lane);
      std::memcpy(data.data(), &given, 8);
      const auto to = memory_.access(block, w, a, Space::Shared,
                                     at(w, s.addresses[0], lane) + k * static_cast<u64>(width), width, data.data());
      if (to) {
        std::memcpy(to->bytes, data.data(), static_cast<std::size_t>(width));
        memory_.dependence().carry(w, lane, nullptr, *to, width);
      }
      bytes += width;
    }
    Handover by;
    by.known.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Bulk, agent), 2);
    arrive(static_cast<i64>(at(w, s.addresses[1], lane) & 0xffffffffu), bytes, by);
  });
  return {};
}

void Bulk::commit(const Warp& w, Mask mask) {
  eachLane(mask, [&](int l) {
    OfThread& t = threads_[w.firstThread + static_cast<std::uint32_t>(l)];
    t.groups.push_back(std::move(t.open));
    t.open.clear();
  });
}

void Bulk::wait(const Warp& w, const Step& s, Mask mask) {
  eachLane(mask, [&](int l) {
    const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(l);
    OfThread& t = threads_[thread];
    const auto pending = static_cast<std::size_t>(s.offset);
    while (t.groups.size() > pending) {
      for (const std::uint32_t agent : t.groups.front()) order_.learn(thread, Domain::Bulk, 2, agent);
      t.groups.erase(t.groups.begin());
    }
  });
}

}  // namespace tessera::kernel
