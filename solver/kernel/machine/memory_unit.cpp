#include "solver/kernel/machine/memory_unit.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tessera::kernel {

using ptx::Space;

namespace {

// Contents of an arbitrary buffer.
Region::Rule randomBytes(u64 seed) {
  return [seed](i64 offset) {
    u64 x = (static_cast<u64>(offset) + seed) * 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    return static_cast<std::uint8_t>((x * 0xbf58476d1ce4e5b9u) >> 56);
  };
}

// "_ZZ7reversePKfPfE4tile" is "tile": what follows the last "::" of the demangled name.
std::string readable(const std::string& name) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 && demangled != nullptr ? demangled : name;
  std::free(demangled);
  const std::size_t at = text.rfind("::");
  return at == std::string::npos ? text : text.substr(at + 2);
}

}  // namespace

MemoryUnit::MemoryUnit(const ptx::Module& module, const Program& program, const Launch& launch, Findings& findings,
                       Order& order)
    : program_(program), launch_(launch), findings_(findings), order_(order), strong_(order) {
  steps_.resize(program.steps.size());
  parameters_.assign(static_cast<std::size_t>(std::max<i64>(program.parameterBytes, 1)), 0);
  for (std::size_t k = 0; k < program.parameters.size(); ++k) {
    const Program::Parameter& p = program.parameters[k];
    const Argument* a = k < launch.arguments.size() ? &launch.arguments[k] : nullptr;
    std::uint8_t* at = parameters_.data() + p.offset;
    const bool pointer = (p.type == ptx::Type::U64 || p.type == ptx::Type::B64 || p.type == ptx::Type::S64) &&
                         (a == nullptr || a->kind == Argument::Kind::Arbitrary);
    buffers_.push_back(nullptr);
    if (a != nullptr && (a->kind == Argument::Kind::Scalar || a->kind == Argument::Kind::Bytes)) {
      std::memcpy(at, a->bytes.data(), std::min<std::size_t>(a->bytes.size(), static_cast<std::size_t>(p.bytes)));
    } else if ((a != nullptr && a->kind == Argument::Kind::Buffer) || pointer) {
      dependence_.arbitrary = dependence_.arbitrary || pointer;
      const std::string name = fmt::format("argument {}", k);
      buffers_.back() = pointer ? std::make_unique<Region>(name, randomBytes(launch.seed * 1000 + k))
                                : std::make_unique<Region>(name, static_cast<i64>(a->bytes.size()), a->bytes);
      const u64 base = kBuffers + (k + 1) * kBufferStride;
      std::memcpy(at, &base, static_cast<std::size_t>(std::min<i64>(8, p.bytes)));
    } else {
      dependence_.arbitrary = true;
      dependence_.parameters.emplace_back(p.offset, p.bytes);
      const u64 value = launch.seed * 7 % 13 + 1;
      std::memcpy(at, &value, static_cast<std::size_t>(std::min<i64>(8, p.bytes)));
    }
  }
  for (const ptx::Variable* v : program.globals) {
    const i64 bytes = v->bytes(), each = std::max(1, ptx::bitsOf(v->type) / 8);
    std::vector<std::byte> contents(static_cast<std::size_t>(bytes));
    for (std::size_t k = 0; k < v->initial.size() && static_cast<i64>(k + 1) * each <= bytes; ++k) {
      u64 value = v->initial[k].bits;
      if (!v->initial[k].symbol.empty())
        for (std::size_t g = 0; g < program.globals.size(); ++g)
          if (program.globals[g]->name == v->initial[k].symbol) value += kGlobals + g * kBufferStride;
      std::memcpy(contents.data() + static_cast<i64>(k) * each, &value,
                  static_cast<std::size_t>(std::min<i64>(each, 8)));
    }
    globals_.push_back(std::make_unique<Region>(v->name, bytes, std::move(contents)));
    // The host may have changed them.
    for (i64 at = 0; dependence_.arbitrary && at < bytes; at += kChunkBytes)
      globals_.back()->chunk(at).depends.assign(kChunkBytes, 1);
  }
  (void)module;
}

void MemoryUnit::startBlock(Block& block) const {
  block.shared = Region("shared", program_.dynamicShared + launch_.dynamicShared);
}

std::vector<std::byte> MemoryUnit::contents(std::size_t parameter) {
  return parameter < buffers_.size() && buffers_[parameter] && buffers_[parameter]->bytes() > 0
             ? buffers_[parameter]->contents()
             : std::vector<std::byte>{};
}

int MemoryUnit::argumentOf(const Region* region) const {
  for (std::size_t k = 0; k < buffers_.size(); ++k)
    if (buffers_[k].get() == region && region != nullptr) return static_cast<int>(k);
  return -1;
}

// "argument 2[3,5]", "tile+132"
std::string MemoryUnit::elementOf(const Target& target) const {
  if (target.space == Space::Shared) {
    std::string name = "dynamic shared memory";
    i64 from = program_.dynamicShared;
    if (target.offset < from) {
      from = -1;
      for (const auto& [variable, offset] : program_.sharedVariables)
        if (offset <= target.offset && offset > from) {
          from = offset;
          name = readable(variable);
        }
    }
    return fmt::format("{}+{}", name, target.offset - std::max<i64>(from, 0));
  }
  const int k = argumentOf(target.region);
  if (k < 0) return target.region != nullptr ? fmt::format("{}+{}", target.region->name(), target.offset) : "";
  const Argument* a = static_cast<std::size_t>(k) < launch_.arguments.size() ? &launch_.arguments[k] : nullptr;
  i64 elements = 1;
  if (a != nullptr)
    for (const i64 extent : a->shape) elements *= extent;
  const i64 each = a != nullptr && !a->shape.empty() && elements > 0 ? static_cast<i64>(a->bytes.size()) / elements : 0;
  if (each <= 0 || target.offset < 0 || target.offset >= static_cast<i64>(a->bytes.size()))
    return fmt::format("argument {}+{}", k, target.offset);
  i64 rest = target.offset / each;
  std::string at;
  for (std::size_t d = a->shape.size(); d-- > 0; rest /= a->shape[d])
    at = fmt::format("{}{}{}", rest % a->shape[d], at.empty() ? "" : ",", at);
  return fmt::format("argument {}[{}]", k, at);
}

// ---- addresses

std::optional<Target> MemoryUnit::resolve(Block& block, Warp& w, int lane, Space space, u64 address, int width) {
  Target t;
  t.space = space;
  if (space == Space::Generic || space == Space::Global || space == Space::Const) {
    const u64 window = address >> 32;
    if (address >= kGlobals) {
      const bool buffer = address >= kBuffers + kBufferStride / 2;
      const u64 base = buffer ? kBuffers : kGlobals;
      const auto& regions = buffer ? buffers_ : globals_;
      const u64 k = (address - base + kBufferStride / 2) / kBufferStride;
      const std::size_t index = buffer ? static_cast<std::size_t>(k) - 1 : static_cast<std::size_t>(k);
      if (index >= regions.size() || !regions[index]) return std::nullopt;
      t.region = regions[index].get();
      t.offset = static_cast<i64>(address - base - k * kBufferStride);
      t.space = Space::Global;
    } else if (space != Space::Generic) {
      return std::nullopt;
    } else if (window == kSharedWindow >> 32) {
      t.space = Space::Shared;
      address -= kSharedWindow;
    } else if (window == kLocalWindow >> 32) {
      t.space = Space::Local;
      address -= kLocalWindow;
    } else if (window == kParamWindow >> 32) {
      t.space = Space::Param;
      address -= kParamWindow;
    } else {
      return std::nullopt;
    }
  }
  if (t.space == Space::Shared) {
    t.region = &block.shared;
    t.offset = static_cast<i64>(address >= kSharedWindow ? address - kSharedWindow : address);
  } else if (t.space == Space::Local || t.space == Space::Param) {
    const bool local = t.space == Space::Local;
    t.offset = static_cast<i64>(address >= kLocalWindow ? address & 0xffffffffu : address);
    const i64 size = local ? program_.localBytes : static_cast<i64>(parameters_.size());
    if (t.offset < 0 || t.offset + width > size) return std::nullopt;
    t.bytes = local ? w.local.data() + lane * program_.localBytes + t.offset : parameters_.data() + t.offset;
    return t;
  }
  if (!t.region->contains(t.offset, width)) return std::nullopt;
  return t;
}

void MemoryUnit::outOfBounds(const Actor& a, Space space, u64 address, int width) {
  Finding* f = findings_.add(Verdict::Bounds, a.step);
  if (f == nullptr) return;
  f->at = findings_.point(a.thread + static_cast<std::uint32_t>(a.lane), a.step);
  f->bytes = width;
  f->address = address;
  f->space = space;
  std::string where = fmt::format("address {:#x}", address);
  if (address >= kGlobals) {
    const bool buffer = address >= kBuffers + kBufferStride / 2;
    const u64 base = buffer ? kBuffers : kGlobals;
    const u64 k = (address - base + kBufferStride / 2) / kBufferStride;
    const auto offset = static_cast<i64>(address - base - k * kBufferStride);
    const auto& regions = buffer ? buffers_ : globals_;
    const std::size_t index = static_cast<std::size_t>(k) - (buffer ? 1 : 0);
    f->address = static_cast<u64>(offset);
    if (index < regions.size() && regions[index])
      where = fmt::format("byte {} of {}, which has {} bytes", offset, regions[index]->name(), regions[index]->bytes());
  } else if (space == Space::Shared || address >> 32 == kSharedWindow >> 32) {
    f->address = address & 0xffffffffu;
    where = fmt::format("byte {} of shared memory, which has {} bytes", f->address,
                        program_.dynamicShared + launch_.dynamicShared);
  } else if (address < 4096) {
    where = address == 0 ? "a null pointer" : fmt::format("a null pointer + {}", address);
  }
  f->message = fmt::format("{} accesses {} bytes at {}",
                           findings_.threadText(a.thread + static_cast<std::uint32_t>(a.lane)), width, where);
}

void MemoryUnit::race(const Actor& a, const Target& target, int width, const Conflict& conflict, bool write,
                      bool sameValue) {
  const Event& other = events_[conflict.other.event];
  const bool same = write && conflict.otherWrites && sameValue;
  // Equal for these arguments; for others they may differ.
  const Verdict kind = !same ? Verdict::Race : dependence_.value ? Verdict::Unknown : Verdict::Benign;
  Finding* f = findings_.add(kind, a.step, other.step, conflict.otherWrites ? 1 : 0);
  if (f == nullptr) return;
  const std::uint32_t me = a.thread + static_cast<std::uint32_t>(a.lane);
  std::uint32_t them = other.warpThread + conflict.other.lane;
  if (other.domain == Domain::Bulk) them = agents_.contains(them) ? agents_.at(them) : 0;
  f->at = findings_.point(me, a.step);
  f->other = findings_.point(them, other.step);
  f->space = target.space;
  f->address = static_cast<u64>(target.offset);
  f->bytes = width;
  f->element = elementOf(target);
  const char* mine = write ? "writes" : "reads";
  const std::string who = findings_.threadText(me), whom = me == them ? "itself" : findings_.threadText(them);
  const char* verb = conflict.otherWrites ? "written" : "read";
  if (other.domain == Domain::Copies)
    f->message = fmt::format("{} {} {}, which a cp.async of {} {} without a wait for it in between", who, mine,
                             f->element, whom, conflict.otherWrites ? "writes" : "reads");
  else if (other.domain == Domain::Bulk)
    f->message = fmt::format("{} {} {}, which a bulk copy of {} {} without a wait for it in between", who, mine,
                             f->element, whom, conflict.otherWrites ? "writes" : "reads");
  else if (other.domain == Domain::Products)
    f->message = fmt::format("{} {} {}, which a wgmma may still read: no wgmma.wait_group and barrier in between", who,
                             mine, f->element);
  else if (a.async)
    f->message = fmt::format(
        "an asynchronous copy or product of {} {} {}, {} by {} with no fence.proxy.async and barrier in between", who,
        mine, f->element, verb, whom);
  else
    f->message = fmt::format("{} {} {}, {} by {}: nothing orders the two{}", who, mine, f->element, verb, whom,
                             kind == Verdict::Benign    ? ", but both write the same value"
                             : kind == Verdict::Unknown ? "; both write the same value in this run"
                                                        : "");
}

std::optional<Target> MemoryUnit::access(Block& block, Warp& w, const Actor& a, Space space, u64 address, int width,
                                         const std::uint8_t* from) {
  const bool write = from != nullptr;
  std::optional<Target> t = resolve(block, w, a.lane, space, address, width);
  if (!t) {
    outOfBounds(a, space, address, width);
    return std::nullopt;
  }
  const int grain = width & -width;
  if (t->offset % grain != 0) {
    if (Finding* f = findings_.add(Verdict::Misaligned, a.step)) {
      f->at = findings_.point(a.thread + static_cast<std::uint32_t>(a.lane), a.step);
      f->space = t->space;
      f->address = static_cast<u64>(t->offset);
      f->bytes = width;
      f->element = elementOf(*t);
      f->message = fmt::format("{} accesses {} bytes at {}, byte {}, which is not a multiple of {}",
                               findings_.threadText(a.thread + static_cast<std::uint32_t>(a.lane)), width, f->element,
                               t->offset, grain);
    }
    return std::nullopt;
  }
  if (t->region == nullptr) {  // local memory, parameters
    if (t->space == Space::Local &&
        (t->offset < kLocalMargin || t->offset + width > program_.localBytes - kLocalMargin))
      notes_.try_emplace(a.step, fmt::format("line {}: {} accesses {} bytes beside its local variables, at {:+}",
                                             program_.steps[static_cast<std::size_t>(a.step)].source->line,
                                             findings_.threadText(a.thread + static_cast<std::uint32_t>(a.lane)), width,
                                             t->offset - kLocalMargin));
    if (t->space == Space::Local) {
      std::uint8_t* defined = w.localDefined.data() + a.lane * program_.localBytes + t->offset;
      if (write) std::memset(defined, 1, static_cast<std::size_t>(width));
    }
    return t;
  }
  Chunk& chunk = t->region->chunk(t->offset);
  const i64 within = Region::within(t->offset);
  t->chunk = &chunk;
  t->bytes = chunk.data.data() + within;
  const auto conflict = chunk.shadow.note(order_, events_, within, width, {a.event, static_cast<std::uint8_t>(a.lane)},
                                          a.thread + static_cast<std::uint32_t>(a.lane), write, a.async);
  if (conflict)
    race(a, *t, width, *conflict, write, write && std::memcmp(t->bytes, from, static_cast<std::size_t>(width)) == 0);
  if (chunk.defined.empty()) return t;
  std::uint8_t* defined = chunk.defined.data() + within;
  if (write) {
    std::memset(defined, 1, static_cast<std::size_t>(width));
  } else if (std::memchr(defined, 0, static_cast<std::size_t>(width)) != nullptr) {
    // Without arguments the question is whether the kernel is right for every contents of memory.
    if (dependence_.arbitrary) {
      setDepends(w, a.lane, *t, width, true);
      notes_.try_emplace(
          a.step, fmt::format("line {}: {} reads {}, which was never written: any value",
                              program_.steps[static_cast<std::size_t>(a.step)].source->line,
                              findings_.threadText(a.thread + static_cast<std::uint32_t>(a.lane)), elementOf(*t)));
    } else if (Finding* f = findings_.add(Verdict::Uninitialised, a.step)) {
      f->at = findings_.point(a.thread + static_cast<std::uint32_t>(a.lane), a.step);
      f->space = t->space;
      f->address = static_cast<u64>(t->offset);
      f->bytes = width;
      f->element = elementOf(*t);
      f->message = fmt::format("{} reads {}, which was never written",
                               findings_.threadText(a.thread + static_cast<std::uint32_t>(a.lane)), f->element);
    }
  }
  return t;
}

// ---- dependence on arbitrary arguments

bool MemoryUnit::depends(const Warp& w, int lane, const Target& t, int width) const {
  const auto any = [&](const std::uint8_t* at) {
    return std::memchr(at, 1, static_cast<std::size_t>(width)) != nullptr;
  };
  if (t.space == Space::Param) {
    return std::any_of(dependence_.parameters.begin(), dependence_.parameters.end(), [&](const std::pair<i64, i64>& p) {
      return t.offset < p.first + p.second && p.first < t.offset + width;
    });
  }
  if (t.space == Space::Local) return any(w.localDepends.data() + lane * program_.localBytes + t.offset);
  return !t.chunk->depends.empty() && any(t.chunk->depends.data() + Region::within(t.offset));
}

void MemoryUnit::setDepends(Warp& w, int lane, const Target& t, int width, bool value) {
  const auto set = [&](std::uint8_t* at) { std::memset(at, value ? 1 : 0, static_cast<std::size_t>(width)); };
  if (t.space == Space::Local) return set(w.localDepends.data() + lane * program_.localBytes + t.offset);
  if (t.chunk == nullptr) return;
  if (t.chunk->depends.empty()) {
    if (!value) return;
    t.chunk->depends.assign(kChunkBytes, 0);
  }
  set(t.chunk->depends.data() + Region::within(t.offset));
}

// ---- counts

void MemoryUnit::count(int step, const Block& block, const Warp& w, Space space, const AtlasAccess& access,
                       const std::array<i64, kLanes>& addresses, int argument) {
  OfStep& s = steps_[static_cast<std::size_t>(step)];
  WarpAccess request;
  static_cast<AtlasAccess&>(request) = access;
  i64 active = 0;
  for (int l = 0; l < kLanes; ++l) {
    request.addresses[l] = addresses[l];
    active += addresses[l] != kInactive ? 1 : 0;
  }
  if (active == 0) return;
  graphene::count(s.counts, request);
  if (space == Space::Global && program_.steps[static_cast<std::size_t>(step)].space == Space::Shared) return;
  ++s.counts.executions;
  s.counts.lanes += active;
  const bool first = !s.used;
  s.used = true;
  s.line.space = space;
  s.line.width = access.width;
  s.line.store = access.direction == AccessDirection::Write;
  s.line.bytes += active * access.width;
  s.line.argument = first || s.line.argument == argument ? argument : -1;
  constexpr std::size_t kSamples = 512;
  if (s.line.samples.size() < kSamples) {
    AccessLine::Sample sample{block.index, w.index, static_cast<std::uint32_t>(s.counts.executions - 1), {}};
    for (int l = 0; l < kLanes; ++l) sample.at[l] = addresses[l] == kInactive ? -1 : addresses[l];
    s.line.samples.push_back(sample);
  }
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
    if (argument == -2) argument = argumentOf(any->region);
  }
  if (any == nullptr) return;
  const bool shared = any->space == Space::Shared;
  const auto direction = s.kind == Step::Kind::Load ? AccessDirection::Read : AccessDirection::Write;
  const auto access = vectorAccess(direction, shared ? MemorySpace::Shared : MemorySpace::Global, s.width * s.count);
  if (access) count(step, block, w, any->space, *access, addresses, std::max(argument, -1));
}

std::vector<AccessLine> MemoryUnit::lines() const {
  std::vector<AccessLine> out;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    if (!steps_[k].used) continue;
    AccessLine line = steps_[k].line;
    const ptx::Instruction& source = *program_.steps[k].source;
    line.line = source.line;
    line.location = source.location;
    line.op = source.opcode.text;
    line.warps = steps_[k].counts.executions;
    line.wavefronts = steps_[k].counts.wavefronts;
    line.ideal = steps_[k].counts.idealWavefronts;
    line.sectors = steps_[k].counts.sectors;
    line.idealSectors = steps_[k].counts.idealSectors;
    out.push_back(std::move(line));
  }
  std::stable_sort(out.begin(), out.end(), [](const AccessLine& a, const AccessLine& b) { return a.line < b.line; });
  return out;
}

// ---- loads, stores, atomics

void MemoryUnit::load(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const Lanes& base = s.ins[s.address] < 0 ? program_.constants[~s.ins[s.address]] : w.lanes(s.ins[s.address]);
  const int width = s.width * s.count;
  const u64 keep = s.outBits >= 64 ? ~u64{0} : (u64{1} << s.outBits) - 1;
  Actor a = actor(w, step, false, s.strong);
  std::array<std::optional<Target>, kLanes> targets;
  eachLane(mask, [&](int lane) {
    a.lane = lane;
    const auto t = access(block, w, a, s.space, base[lane] + static_cast<u64>(s.offset), width, nullptr);
    if (t && s.strong && t->region != nullptr) strong_.read(a.thread + lane, {t->region, t->offset}, s.acquires);
    targets[lane] = t;
    const bool dependent = dependence_.arbitrary && t && depends(w, lane, *t, width);
    for (std::size_t k = 0; k < s.outs.size(); ++k) {
      if (s.outs[k] == kNoPlace) continue;
      if (dependence_.arbitrary) {
        Mask& at = w.depends[static_cast<std::size_t>(s.outs[k])];
        at = (at & ~(Mask{1} << lane)) | static_cast<Mask>(dependent) << lane;
      }
      const int part = s.width == 16 ? 8 : s.width;
      u64 value = 0;
      if (t) std::memcpy(&value, t->bytes + static_cast<i64>(k) * part, static_cast<std::size_t>(part));
      if (s.isSigned && part < 8 && (value >> (part * 8 - 1) & 1) != 0) value |= ~u64{0} << (part * 8);
      w.lanes(s.outs[k])[lane] = value & keep;
    }
  });
  if (s.space != Space::Param && s.space != Space::Local) countLanes(step, block, w, targets);
}

void MemoryUnit::store(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const auto in = [&](std::size_t k) -> const Lanes& {
    return s.ins[k] < 0 ? program_.constants[~s.ins[k]] : w.lanes(s.ins[k]);
  };
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
    for (std::size_t k = first; dependence_.arbitrary && k < s.ins.size(); ++k)
      dependent = dependent || (s.ins[k] >= 0 && (w.depends[static_cast<std::size_t>(s.ins[k])] >> lane & 1) != 0);
    dependence_.value = dependent;
    const auto t = access(block, w, a, s.space, base[lane] + static_cast<u64>(s.offset), width, bytes.data());
    dependence_.value = false;
    targets[lane] = t;
    if (!t) return;
    if (s.strong && t->region != nullptr) strong_.write(a.thread + lane, {t->region, t->offset}, s.releases, false);
    if (t->region != nullptr && std::memcmp(t->bytes, bytes.data(), static_cast<std::size_t>(width)) != 0) ++changes_;
    std::memcpy(t->bytes, bytes.data(), static_cast<std::size_t>(width));
    if (dependence_.arbitrary) setDepends(w, lane, *t, width, dependent);
  });
  if (s.space != Space::Param && s.space != Space::Local) countLanes(step, block, w, targets);
}

void MemoryUnit::atomic(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const auto in = [&](std::size_t k) -> const Lanes& {
    return s.ins[k] < 0 ? program_.constants[~s.ins[k]] : w.lanes(s.ins[k]);
  };
  const Lanes& base = in(static_cast<std::size_t>(s.address));
  const std::size_t count = static_cast<std::size_t>(s.count), first = static_cast<std::size_t>(s.address) + 1;
  const auto width = static_cast<std::size_t>(s.width);
  Actor a = actor(w, step, true, true);
  std::array<std::optional<Target>, kLanes> targets;
  eachLane(mask, [&](int lane) {
    a.lane = lane;
    std::array<std::uint8_t, 32> bytes{};
    const auto t =
        access(block, w, a, s.space, base[lane] + static_cast<u64>(s.offset), s.width * s.count, bytes.data());
    targets[lane] = t;
    for (std::size_t k = 0; k < count; ++k) {
      u64 old = 0;
      if (t) std::memcpy(&old, t->bytes + k * width, width);
      const u64 value = in(first + k)[lane];
      u64 next = value;
      if (s.message == "cas") {
        next = old == (width < 8 ? value & ((u64{1} << width * 8) - 1) : value) ? in(first + count + k)[lane] : old;
      } else if (s.message == "inc") {
        next = old >= value ? 0 : old + 1;
      } else if (s.message == "dec") {
        next = old == 0 || old > value ? value : old - 1;
      } else if (s.operation >= 0) {
        Lanes result{}, x{}, y{};
        x[lane] = old;
        y[lane] = value;
        Lanes* out[] = {&result, nullptr};
        const Lanes* from[] = {&x, &y};
        program_.operations[static_cast<std::size_t>(s.operation)].run({out, from, Mask{1} << lane});
        next = result[lane];
      }
      if (t) {
        if (std::memcmp(t->bytes + k * width, &next, width) != 0) ++changes_;
        std::memcpy(t->bytes + k * width, &next, width);
      }
      if (k < s.outs.size() && s.outs[k] != kNoPlace) w.lanes(s.outs[k])[lane] = old;
    }
    // What an atomic returns, and leaves, depends on the order of blocks and warps anyway.
    if (dependence_.arbitrary && t) {
      setDepends(w, lane, *t, s.width * s.count, true);
      for (const Place p : s.outs)
        if (p != kNoPlace) w.depends[static_cast<std::size_t>(p)] |= Mask{1} << lane;
    }
    if (!t || t->region == nullptr) return;
    strong_.read(a.thread + lane, {t->region, t->offset}, s.acquires);
    strong_.write(a.thread + lane, {t->region, t->offset}, s.releases, true);
  });
  countLanes(step, block, w, targets);
}

}  // namespace tessera::kernel
