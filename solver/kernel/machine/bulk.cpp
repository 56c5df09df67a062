#include "solver/kernel/machine/bulk.h"

#include <fmt/format.h>

#include <cstring>

namespace tessera::kernel {

using ptx::Space;

namespace {

// "im2col", "tile::gather4": the mode of a tensor copy that is not .tile.
std::string_view otherMode(const ptx::Opcode& o) {
  for (const std::string_view part : o.parts)
    if (part.starts_with("im2col") || part.starts_with("tile::")) return part;
  return {};
}

// The accesses, each aligned, that make up `bytes` bytes from an address on.
template <class Visit>
void eachAligned(u64 address, int bytes, const Visit& visit) {
  for (int k = 0; k < bytes;) {
    int width = 16;
    while (width > bytes - k || (address + static_cast<u64>(k)) % static_cast<u64>(width) != 0) width /= 2;
    visit(k, width);
    k += width;
  }
}

}  // namespace

std::string Bulk::execute(Block& block, Warp& w, int step, Mask mask, const Arrive& arrive) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  if (o.has("prefetch")) return {};
  if (o.base() == "st" || o.base() == "red") return store(block, w, step, mask, arrive);
  std::string why;
  eachLane(mask, [&](int lane) {
    Request r;
    if (std::string reason = read(block, w, step, lane, r); !reason.empty()) {
      why = std::move(reason);
      return;
    }
    const std::uint32_t agent = agents_++, thread = w.firstThread + static_cast<std::uint32_t>(lane);
    memory_.found().addThread(agent, thread);
    perform(block, w, step, lane, r, agent);
    if (r.mbarrier) {
      std::vector<u64> barriers;
      for (const u64 rank : r.ranks) barriers.push_back(sharedAddressIn(block, rank, offsetInBlock(*r.mbarrier)));
      if (r.ranks.empty()) barriers.push_back(*r.mbarrier);
      Handover by;
      by.known.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Bulk, agent), kWritten);
      by.async.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Bulk, agent), kWritten);
      for (const u64 barrier : barriers) arrive(lane, static_cast<i64>(barrier), r.bytes, by);
    } else {
      threads_[thread].open.push_back(agent);
    }
  });
  return why;
}

std::string Bulk::reduces(const ptx::Opcode& o, ptx::Type type, Request& r) const {
  for (const std::string_view name : {"add", "min", "max", "and", "or", "xor", "inc", "dec"}) {
    if (!o.has(name)) continue;
    auto made = Reduction::of(name, type, o.text);
    if (!made) return made.error().message;
    r.reduction = *std::move(made);
    return {};
  }
  return fmt::format("{} is not supported", o.text);
}

std::string Bulk::read(Block& block, Warp& w, int step, int lane, Request& r) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  if (s.addresses.size() < 2) return fmt::format("{} is not supported", o.text);
  if (o.has("mbarrier::complete_tx::bytes")) r.mbarrier = at(w, s.addresses.back(), lane) & 0xffffffffu;
  if (o.has("multicast::cluster"))
    if (std::string why = readMulticast(block, w, s, lane, r); !why.empty()) return why;
  const bool toGlobal = o.text.find(".global.shared") != std::string::npos;
  r.toSpace = toGlobal ? Space::Global : Space::Shared;
  r.fromSpace = toGlobal || o.text.find("shared::cluster.shared") != std::string::npos ? Space::Shared : Space::Global;
  if (o.has("tensor")) return readTensor(block, w, step, lane, r);
  if (o.has("reduce"))
    if (std::string why = reduces(o, o.type(), r); !why.empty()) return why;
  if (s.ins.empty()) return fmt::format("{} has no size", o.text);
  const u64 to = at(w, s.addresses[0], lane), from = at(w, s.addresses[1], lane);
  r.bytes = static_cast<i64>(value(w, s, 0, lane) & 0xffffffffu);
  constexpr i64 kMost = 1 << 20;
  if (r.bytes > kMost) return fmt::format("a bulk copy of {} bytes is too large", r.bytes);
  for (i64 k = 0; k < r.bytes; k += 16) {
    const int bytes = static_cast<int>(std::min<i64>(16, r.bytes - k));
    r.pieces.push_back({to + static_cast<u64>(k), from + static_cast<u64>(k), bytes, 0, bytes});
  }
  return {};
}

// The mask follows the coordinates or the size.
std::string Bulk::readMulticast(Block& block, Warp& w, const Step& s, int lane, Request& r) {
  const std::size_t at = std::max<std::size_t>(s.coordinates.size(), 1), blocks = block.cluster->blocks.size();
  if (s.ins.size() <= at) return fmt::format("{} has no mask of blocks", s.source->opcode.text);
  const u64 mask = value(w, s, at, lane) & 0xffff;
  if (mask == 0 || mask >> blocks != 0)
    return fmt::format("{} has the mask {:#x}, and its cluster {}", s.source->opcode.text, mask,
                       blocks == 1 ? "one block" : fmt::format("{} blocks", blocks));
  for (u64 rank = 0; rank < blocks; ++rank)
    if ((mask >> rank & 1) != 0) r.ranks.push_back(rank);
  return {};
}

std::string Bulk::mapAt(Block& block, Warp& w, int step, int lane, u64 address, Memories::MapAt& out) {
  std::array<std::uint8_t, 128> bytes{};
  Actor a = memory_.actor(w, step, false);
  a.lane = lane;
  for (std::size_t k = 0; k < bytes.size(); k += 16) {
    const auto t = memory_.access(block, w, a, Space::Generic, address + k, 16, nullptr);
    if (!t) return fmt::format("there is no tensor map at the address {:#x}", address);
    std::memcpy(bytes.data() + k, t->bytes, 16);
  }
  if (const auto found = memory_.memories().mapOf(bytes.data())) {
    out = *found;
    return {};
  }
  for (std::size_t k = 0; k < program_.parameters.size(); ++k)
    if (address == kParamWindow + static_cast<u64>(program_.parameters[k].offset))
      return fmt::format(
          "argument {}, the tensor map {}, was not given: it has the form "
          "--arg tensormap:f16[1024,512],box=64x64,swizzle=128B",
          k, program_.parameters[k].name);
  return fmt::format("the bytes at the address {:#x} are not those of a tensor map that is an argument", address);
}

std::string Bulk::readTensor(Block& block, Warp& w, int step, int lane, Request& r) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  if (const std::string_view mode = otherMode(o); !mode.empty())
    return fmt::format("{}: the mode {} is not supported, only tile", o.text, mode);
  const bool load = r.toSpace == Space::Shared;
  Memories::MapAt found;
  if (std::string why = mapAt(block, w, step, lane, at(w, s.addresses[load ? 1 : 0], lane), found); !why.empty())
    return why;
  const TensorMap& map = *found.map;
  if (s.coordinates.size() != map.rank())
    return fmt::format("{} has {} coordinates, and the tensor map of argument {} {} dimensions", o.text,
                       s.coordinates.size(), found.parameter, map.rank());
  if (o.has("reduce"))
    if (std::string why = reduces(o, map.type, r); !why.empty()) return why;
  std::vector<i64> coordinates;
  for (const std::size_t k : s.coordinates)
    coordinates.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(value(w, s, k, lane))));
  const u64 shared = at(w, s.addresses[load ? 0 : 1], lane) & 0xffffffffu;
  r.bytes = boxBytes(map.tile);
  r.tensor = true;
  if (shared % 128 != 0) {
    Actor a = memory_.actor(w, step, load);
    a.lane = lane;
    Target target;
    target.space = Space::Shared;
    target.offset = static_cast<i64>(shared);
    memory_.found().misaligned(a, target, 128);
    return {};
  }
  r.fill = fillOf(map);
  for (const TileChunk& c : tileOf(map, coordinates, shared)) {
    const u64 there = found.address + static_cast<u64>(c.tensor);
    if (load)
      r.pieces.push_back({c.shared, there, 16, c.from, c.to});
    else if (c.from < c.to)
      r.pieces.push_back({there, c.shared + static_cast<u64>(c.from), c.to - c.from, 0, c.to - c.from});
  }
  return {};
}

void Bulk::perform(Block& block, Warp& w, int step, int lane, const Request& r, std::uint32_t agent) {
  const auto event = [&](bool write) {
    const std::uint32_t time = write ? kWritten - 1 : kRead - 1;
    Actor a = memory_.actorAt(
        w, step,
        {agent - static_cast<std::uint32_t>(lane), time, step, Domain::Bulk, write && r.reduction.has_value(), write});
    a.lane = lane;
    return a;
  };
  Actor reads = event(false), writes = event(true);
  reads.async = r.fromSpace == Space::Shared;
  writes.async = r.toSpace == Space::Shared;
  writes.modifies = r.reduction.has_value();
  const auto parts = [&](u64 address, int bytes, const auto& visit) {
    if (r.reduction)
      for (int k = 0; k < bytes; k += r.reduction->bytes()) visit(k, r.reduction->bytes());
    else if (r.tensor)
      eachAligned(address, bytes, visit);
    else
      visit(0, bytes);
  };
  WholeAccess all{r.toSpace, true, r.bytes};
  for (const Piece& p : r.pieces) {
    std::array<std::uint8_t, 16> data = r.fill;
    bool depends = false;
    Symbolic* const values = memory_.symbolic();
    std::vector<Slot> slots(values != nullptr ? data.size() : 0);
    parts(p.from, p.last - p.first, [&](int k, int width) {
      const auto from = memory_.access(block, w, reads, r.fromSpace, p.from + static_cast<u64>(k), width, nullptr);
      if (!from) return;
      if (r.fromSpace == Space::Global) all.add(from->offset, width);
      std::memcpy(data.data() + p.first + k, from->bytes, static_cast<std::size_t>(width));
      depends = depends || (memory_.dependence().tracks() && memory_.dependence().any(w, lane, *from, width));
      if (values == nullptr) return;
      const std::vector<Slot> read = values->slotsAt(w, lane, *from, width);
      std::copy(read.begin(), read.end(), slots.begin() + p.first + k);
    });
    const auto write = [&](u64 at) {
      parts(at, p.bytes, [&](int k, int width) {
        const auto to = memory_.access(block, w, writes, r.toSpace, at + static_cast<u64>(k), width, data.data() + k);
        if (!to) return;
        if (r.toSpace == Space::Global) all.add(to->offset, width);
        if (values != nullptr) {
          const auto given = std::span(slots).subspan(static_cast<std::size_t>(k), static_cast<std::size_t>(width));
          if (r.reduction)
            values->combine(w, program_.steps[static_cast<std::size_t>(step)], lane, *to, given, data.data() + k,
                            r.reduction->name(), r.reduction->type());
          else
            values->setSlots(w, lane, *to, given);
        }
        if (r.reduction)
          r.reduction->apply(to->bytes, data.data() + k);
        else
          std::memcpy(to->bytes, data.data() + k, static_cast<std::size_t>(width));
        if (memory_.dependence().tracks())
          memory_.dependence().set(w, lane, *to, width, depends || r.reduction.has_value());
      });
    };
    for (const u64 rank : r.ranks) write(sharedAddressIn(block, rank, offsetInBlock(p.to)));
    if (r.ranks.empty()) write(p.to);
  }
  memory_.record().add(step, std::move(all));
}

std::string Bulk::store(Block& block, Warp& w, int step, Mask mask, const Arrive& arrive) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  if (o.base() == "red" || s.addresses.size() < 2) return fmt::format("{} is not supported", o.text);
  const int width = ptx::bitsOf(o.type()) / 8;
  eachLane(mask, [&](int lane) {
    const std::uint32_t agent = agents_++;
    memory_.found().addThread(agent, w.firstThread + static_cast<std::uint32_t>(lane));
    Actor a = memory_.actorAt(
        w, step, {agent - static_cast<std::uint32_t>(lane), kWritten - 1, step, Domain::Bulk, false, true});
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
        if (Symbolic* const values = memory_.symbolic(); values != nullptr) {
          const LaneSlots all = values->registerSlots(w, lane, s.ins[k]);
          values->setSlots(w, lane, *to, std::span(all).first(static_cast<std::size_t>(width)));
        }
      }
      bytes += width;
    }
    Handover by;
    by.known.raise(Knowledge::keyOf(Knowledge::Of::Agent, Domain::Bulk, agent), kWritten);
    arrive(lane, static_cast<i64>(at(w, s.addresses[1], lane) & 0xffffffffu), bytes, by);
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
  const bool onlyRead = s.source->opcode.has("read");
  eachLane(mask, [&](int l) {
    const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(l);
    OfThread& t = threads_[thread];
    const auto pending = static_cast<std::size_t>(s.offset);
    if (t.groups.size() <= pending) return;
    const auto end = t.groups.end() - static_cast<std::ptrdiff_t>(pending);
    for (auto group = t.groups.begin(); group != end; ++group)
      for (const std::uint32_t agent : *group) order_.learn(thread, Domain::Bulk, onlyRead ? kRead : kWritten, agent);
    if (!onlyRead) t.groups.erase(t.groups.begin(), end);
  });
}

}  // namespace tessera::kernel
