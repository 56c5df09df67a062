#include "solver/kernel/machine/memories.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <tuple>

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

}  // namespace

std::string readableName(const std::string& name) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 && demangled != nullptr ? demangled : name;
  std::free(demangled);
  const std::size_t at = text.rfind("::");
  return at == std::string::npos ? text : text.substr(at + 2);
}

Memories::Memories(const Program& program, const Launch& launch) : program_(program), launch_(launch) {
  parameters_.assign(static_cast<std::size_t>(std::max<i64>(program.parameterBytes, 1)), 0);
  for (std::size_t k = 0; k < program.parameters.size(); ++k) {
    const Program::Parameter& p = program.parameters[k];
    const Argument* a = k < launch.arguments.size() ? &launch.arguments[k] : nullptr;
    std::uint8_t* at = parameters_.data() + p.offset;
    const bool pointer = (p.type == ptx::Type::U64 || p.type == ptx::Type::B64 || p.type == ptx::Type::S64) &&
                         (a == nullptr || a->kind == Argument::Kind::Arbitrary);
    buffers_.push_back(nullptr);
    if (a != nullptr && a->kind == Argument::Kind::TensorMap) {
      const auto bytes = mapBytes(k);
      std::memcpy(at, bytes.data(), std::min(bytes.size(), static_cast<std::size_t>(p.bytes)));
      if (a->map->buffer < 0)
        buffers_.back() = std::make_unique<Region>(fmt::format("argument {}", k), std::span(a->bytes));
    } else if (a != nullptr && (a->kind == Argument::Kind::Scalar || a->kind == Argument::Kind::Bytes)) {
      std::memcpy(at, a->bytes.data(), std::min<std::size_t>(a->bytes.size(), static_cast<std::size_t>(p.bytes)));
    } else if ((a != nullptr && a->kind == Argument::Kind::Buffer) || pointer) {
      arbitrary_ = arbitrary_ || pointer;
      const std::string name = fmt::format("argument {}", k);
      buffers_.back() = pointer ? std::make_unique<Region>(name, randomBytes(launch.seed * 1000 + k))
                                : std::make_unique<Region>(name, std::span(a->bytes));
      const u64 base = kBuffers + (k + 1) * kBufferStride;
      std::memcpy(at, &base, static_cast<std::size_t>(std::min<i64>(8, p.bytes)));
    } else {
      arbitrary_ = true;
      arbitraryParameters_.emplace_back(p.offset, p.bytes);
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
    for (i64 at = 0; arbitrary_ && at < bytes; at += kChunkBytes)
      globals_.back()->chunk(at).depends.assign(kChunkBytes, 1);
  }
}

void Memories::startBlock(Block& block) const { block.shared = Region("shared", sharedBytes()); }

std::optional<Memories::MapAt> Memories::mapOf(const std::uint8_t* bytes) const {
  for (std::size_t k = 0; k < launch_.arguments.size(); ++k) {
    const Argument& a = launch_.arguments[k];
    if (a.kind != Argument::Kind::TensorMap) continue;
    const auto own = mapBytes(k);
    if (std::memcmp(bytes, own.data(), own.size()) != 0) continue;
    const std::size_t buffer = a.map->buffer < 0 ? k : static_cast<std::size_t>(a.map->buffer);
    return MapAt{&*a.map, kBuffers + (buffer + 1) * kBufferStride + static_cast<u64>(a.map->offset), k};
  }
  return std::nullopt;
}

std::vector<std::vector<std::byte>> Memories::takeContents() {
  std::vector<std::vector<std::byte>> out(buffers_.size());
  const auto mapOf = [&](std::size_t k) {
    return k < launch_.arguments.size() && launch_.arguments[k].kind == Argument::Kind::TensorMap
               ? &*launch_.arguments[k].map
               : nullptr;
  };
  // Those that were written first: their memory is given back then.
  for (const bool written : {true, false})
    for (std::size_t k = 0; k < out.size(); ++k)
      if (buffers_[k] && buffers_[k]->bytes() > 0 && buffers_[k]->written() == written && out[k].empty())
        out[k] = buffers_[k]->takeContents();
  // Several maps may share a buffer; their elements are taken before those of a map that has its own.
  for (const bool shared : {true, false})
    for (std::size_t k = 0; k < out.size(); ++k)
      if (const TensorMap* map = mapOf(k); map != nullptr && (map->buffer >= 0) == shared)
        out[k] = elementsOf(*map, out[shared ? static_cast<std::size_t>(map->buffer) : k]);
  return out;
}

int Memories::argumentOf(const Region* region) const {
  for (std::size_t k = 0; k < buffers_.size(); ++k)
    if (buffers_[k].get() == region && region != nullptr) return static_cast<int>(k);
  return -1;
}

// "argument 2[3,5]", "tile+132"
std::string Memories::elementOf(const Target& target) const {
  if (target.space == Space::Shared) {
    const auto [variable, from] = program_.sharedVariableAt(target.offset);
    const bool dynamic = target.offset >= program_.dynamicShared;
    return fmt::format("{}+{}{}", dynamic ? "dynamic shared memory" : readableName(variable), target.offset - from,
                       target.remote ? fmt::format(" of block {}", target.owner->index) : "");
  }
  const int k = argumentOf(target.region);
  if (k < 0) return target.region != nullptr ? fmt::format("{}+{}", target.region->name(), target.offset) : "";
  const Argument* a = static_cast<std::size_t>(k) < launch_.arguments.size() ? &launch_.arguments[k] : nullptr;
  i64 elements = 1;
  if (a != nullptr)
    for (const i64 extent : a->shape) elements *= extent;
  i64 each = a != nullptr && !a->shape.empty() && elements > 0 ? static_cast<i64>(a->bytes.size()) / elements : 0;
  if (a != nullptr && a->map && each != a->map->elementBytes()) each = 0;  // rows that are padded
  if (each <= 0 || target.offset < 0 || target.offset >= static_cast<i64>(a->bytes.size()))
    return fmt::format("argument {}+{}", k, target.offset);
  i64 rest = target.offset / each;
  std::string at;
  for (std::size_t d = a->shape.size(); d-- > 0; rest /= a->shape[d])
    at = fmt::format("{}{}{}", rest % a->shape[d], at.empty() ? "" : ",", at);
  return fmt::format("argument {}[{}]", k, at);
}

// ---- addresses

std::pair<Region*, i64> Memories::regionAt(u64 address) const {
  const bool buffer = address >= kBuffers + kBufferStride / 2;
  const u64 base = buffer ? kBuffers : kGlobals;
  const auto& regions = buffer ? buffers_ : globals_;
  const u64 k = (address - base + kBufferStride / 2) / kBufferStride;
  const std::size_t index = static_cast<std::size_t>(k) - (buffer ? 1 : 0);
  return {index < regions.size() ? regions[index].get() : nullptr,
          static_cast<i64>(address - base - k * kBufferStride)};
}

std::optional<Target> Memories::resolve(Block& block, Warp& w, int lane, Space space, u64 address, int width) {
  Target t;
  t.space = space;
  if (space == Space::Generic || space == Space::Global || space == Space::Const) {
    const u64 window = address >> 32;
    if (address >= kGlobals) {
      std::tie(t.region, t.offset) = regionAt(address);
      if (t.region == nullptr) return std::nullopt;
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
    const u64 shared = address >= kSharedWindow ? address - kSharedWindow : address;
    t.owner = ownerOf(block, shared);
    if (t.owner == nullptr) return std::nullopt;
    t.remote = t.owner != &block;
    t.region = &t.owner->shared;
    t.offset = static_cast<i64>(offsetInBlock(shared));
  } else if (t.space == Space::Local || t.space == Space::Param) {
    const bool local = t.space == Space::Local;
    t.offset = static_cast<i64>(address >= kLocalWindow ? address & 0xffffffffu : address);
    const i64 size = local ? program_.localBytes : static_cast<i64>(parameters_.size());
    if (t.offset < 0 || t.offset + width > size) return std::nullopt;
    if (local && w.local.empty()) w.local.assign(static_cast<std::size_t>(size) * kLanes, 0);
    t.bytes = local ? w.local.data() + lane * program_.localBytes + t.offset : parameters_.data() + t.offset;
    return t;
  }
  if (!t.region->contains(t.offset, width)) return std::nullopt;
  return t;
}

Memories::Nowhere Memories::nowhere(Space space, u64 address) const {
  Nowhere out{fmt::format("address {:#x}", address), address};
  if (address >= kGlobals) {
    const auto [region, offset] = regionAt(address);
    out.offset = static_cast<u64>(offset);
    if (region != nullptr)
      out.text = fmt::format("byte {} of {}, which has {} bytes", offset, region->name(), region->bytes());
  } else if (space == Space::Shared || address >> 32 == kSharedWindow >> 32) {
    out.offset = address & 0xffffffffu;
    out.text = fmt::format("byte {} of shared memory, which has {} bytes", out.offset, sharedBytes());
  } else if (address < 4096) {
    out.text = address == 0 ? "a null pointer" : fmt::format("a null pointer + {}", address);
  }
  return out;
}

}  // namespace tessera::kernel
