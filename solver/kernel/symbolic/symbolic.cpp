#include "solver/kernel/symbolic/symbolic.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/work_budget.h"
#include "solver/kernel/lanes/floating.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Space;
using ptx::Type;

namespace {

using graphene::Terms;

bool known(std::span<const Slot> slots) {
  return std::all_of(slots.begin(), slots.end(), [](const Slot& s) { return s.term == 0; });
}

bool alike(Type a, Type b) {
  const auto number = [](Type t) { return t == Type::TF32 ? Type::F32 : t; };
  if (number(a) == number(b)) return true;
  const auto integer = [](Type t) {
    return (t >= Type::B8 && t <= Type::B64) || (t >= Type::U8 && t <= Type::U64) || (t >= Type::S8 && t <= Type::S64);
  };
  return integer(a) && integer(b) && ptx::bitsOf(a) == ptx::bitsOf(b) && ptx::bitsOf(a) >= 32;
}

double numberOf(u64 bits, Type type) {
  if (type == Type::Pred) return static_cast<double>(bits & 1);
  if (isFloat(type) || type == Type::TF32 || type == Type::E4M3 || type == Type::E5M2) {
    if (type == Type::TF32) type = Type::F32;
    return type == Type::F64 || type == Type::F32 ? toDouble(bits, type, false)
                                                  : unpack(bits & maskOf(ptx::bitsOf(type)), formatOf(type));
  }
  const bool isUnsigned = type >= Type::U8 && type <= Type::U64;
  return isUnsigned ? static_cast<double>(bits & maskOf(ptx::bitsOf(type)))
                    : static_cast<double>(signedOf(bits, ptx::bitsOf(type)));
}

}  // namespace

void Symbolic::start(const Program& program, Memories& memories) {
  program_ = &program;
  memories_ = &memories;
}

void Symbolic::start(Warp& w) const {
  w.slots.registers.clear();
  w.slots.registers.resize(w.file.size());
  w.slots.local.assign(static_cast<std::size_t>(program_->localBytes) * kLanes, Slot{});
}

void Symbolic::stop(const Step& s, std::string_view what) {
  if (obstacle_.empty())
    obstacle_ = fmt::format("line {}: {} depends on the values", s.source != nullptr ? s.source->line : 0, what);
}

Terms::Value Symbolic::opaque(const Step& s) {
  if (firstOpaque_.empty() && s.source != nullptr)
    firstOpaque_ = fmt::format("line {}: {} of a symbolic value", s.source->line, s.source->opcode.text);
  return values_.opaque();
}

void Symbolic::withoutTerms(const Step& s) {
  if (obstacle_.empty()) obstacle_ = fmt::format("line {}: {} has no terms", s.source->line, s.source->opcode.text);
}

// ---- slots and terms

std::optional<Terms::Value> Symbolic::valueOf(std::span<const Slot> slots, u64 bits, Type type) {
  const auto n = static_cast<std::size_t>(std::max(ptx::bitsOf(type) / 8, 1));
  const auto all = slots.first(std::min(n, slots.size()));
  if (known(all)) return values_.constant(numberOf(bits, type));
  const auto whole = [](std::span<const Slot> of, Type as) {
    for (std::size_t k = 0; k < of.size(); ++k)
      if (of[k].term == 0 || of[k].term != of[0].term || of[k].part != k || of[k].bytes != of.size() ||
          !alike(of[k].type, as))
        return false;
    return true;
  };
  if (whole(all, type)) return all[0].term;
  // A bf16 is the upper half of the f32 of its value.
  if (type == Type::F32 && known(all.first(2)) && (bits & 0xffff) == 0 && whole(all.subspan(2), Type::BF16))
    return all[2].term;
  return std::nullopt;
}

std::vector<Slot> Symbolic::slotsOf(Terms::Value term, Type type) {
  const int n = std::max(ptx::bitsOf(type) / 8, 1);
  std::vector<Slot> out;
  for (int k = 0; k < n; ++k) out.push_back({term, static_cast<std::uint8_t>(k), static_cast<std::uint8_t>(n), type});
  return out;
}

// ---- registers

Mask Symbolic::symbolicLanes(const Warp& w, Place p) const {
  Mask out = 0;
  if (p < 0 || p == kNoPlace || w.slots.registers[static_cast<std::size_t>(p)] == nullptr) return out;
  const RegisterSlots& slots = *w.slots.registers[static_cast<std::size_t>(p)];
  for (std::size_t l = 0; l < kLanes; ++l)
    if (!known(slots[l])) out |= Mask{1} << l;
  return out;
}

RegisterSlots& Symbolic::slotsFor(Warp& w, Place p) const {
  auto& at = w.slots.registers[static_cast<std::size_t>(p)];
  if (at == nullptr) at = std::make_unique<RegisterSlots>();
  return *at;
}

LaneSlots Symbolic::registerSlots(const Warp& w, int lane, Place p) const {
  if (p < 0 || p == kNoPlace || w.slots.registers[static_cast<std::size_t>(p)] == nullptr) return {};
  return (*w.slots.registers[static_cast<std::size_t>(p)])[static_cast<std::size_t>(lane)];
}

void Symbolic::setRegister(Warp& w, int lane, Place p, int to, std::span<const Slot> slots) const {
  if (p < 0 || p == kNoPlace) return;
  if (w.slots.registers[static_cast<std::size_t>(p)] == nullptr && known(slots)) return;
  LaneSlots& at = slotsFor(w, p)[static_cast<std::size_t>(lane)];
  for (std::size_t k = 0; k < slots.size() && static_cast<std::size_t>(to) + k < at.size(); ++k)
    at[static_cast<std::size_t>(to) + k] = slots[k];
}

void Symbolic::clear(Warp& w, const Step& s, Mask mask) const {
  for (const Place p : s.outs) {
    if (p < 0 || p == kNoPlace) continue;
    auto& at = w.slots.registers[static_cast<std::size_t>(p)];
    if (at == nullptr) continue;
    if (mask == ~Mask{0})
      at.reset();
    else
      eachLane(mask, [&](int l) { (*at)[static_cast<std::size_t>(l)] = {}; });
  }
}

void Symbolic::follow(const Warp& w, const Step& s, std::span<const Place> decisive) {
  if (!obstacle_.empty()) return;
  if ((symbolicLanes(w, s.guard) & w.group) != 0)
    stop(s, s.kind == Step::Kind::Branch ? "this branch" : "whether this instruction is executed");
  const bool addressed = s.kind == Step::Kind::Load || s.kind == Step::Kind::Store || s.kind == Step::Kind::Atomic;
  for (const Place p : decisive)
    if ((symbolicLanes(w, p) & w.group) != 0) stop(s, addressed ? "the address" : "an operand");
  for (const auto& [p, offset] : s.addresses)
    if ((symbolicLanes(w, p) & w.group) != 0) stop(s, "the address");
}

// ---- memory

void Symbolic::seed(Chunk& chunk, int parameter, i64 first) {
  const Type type = inputs_.at(parameter);
  const i64 n = std::max(ptx::bitsOf(type) / 8, 1);
  chunk.slots.assign(kChunkBytes, Slot{});
  const auto given = static_cast<i64>(memories_->launch().arguments[static_cast<std::size_t>(parameter)].bytes.size());
  for (i64 k = 0; k + n <= kChunkBytes && first + k + n <= given; k += n) {
    const Terms::Value term = values_.terms().input(parameter, 0, (first + k) / n);
    for (i64 b = 0; b < n; ++b)
      chunk.slots[static_cast<std::size_t>(k + b)] = {term, static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(n),
                                                      type};
  }
}

Slot* Symbolic::memorySlots(Warp& w, int lane, const Target& at, bool make) {
  if (at.space == Space::Param && at.region == nullptr) return nullptr;
  if (at.region == nullptr) return w.slots.local.data() + lane * program_->localBytes + at.offset;
  Chunk& chunk = at.region->chunk(at.offset);
  const i64 within = Region::within(at.offset);
  if (chunk.slots.empty()) {
    const int parameter = memories_->argumentOf(at.region);
    if (inputs_.contains(parameter))
      seed(chunk, parameter, at.offset - within);
    else if (make)
      chunk.slots.assign(kChunkBytes, Slot{});
    else
      return nullptr;
  }
  return chunk.slots.data() + within;
}

std::vector<Slot> Symbolic::slotsAt(Warp& w, int lane, const Target& at, int bytes) {
  const Slot* const from = memorySlots(w, lane, at, false);
  if (from == nullptr) return std::vector<Slot>(static_cast<std::size_t>(bytes));
  return {from, from + bytes};
}

void Symbolic::setSlots(Warp& w, int lane, const Target& at, std::span<const Slot> slots) {
  if (Slot* const to = memorySlots(w, lane, at, !known(slots)); to != nullptr)
    std::copy(slots.begin(), slots.end(), to);
}

void Symbolic::load(Warp& w, const Step& s, int lane, const Target* from) {
  const int part = s.width == 16 ? 8 : s.width;
  const std::vector<Slot> slots = from != nullptr ? slotsAt(w, lane, *from, s.width * s.count)
                                                  : std::vector<Slot>(static_cast<std::size_t>(s.width * s.count));
  for (std::size_t k = 0; k < s.outs.size(); ++k) {
    LaneSlots one{};
    const auto first = slots.begin() + static_cast<std::ptrdiff_t>(k) * part;
    std::copy(first, first + std::min<std::ptrdiff_t>(part, slots.end() - first), one.begin());
    const bool extends = s.isSigned && part * 8 < s.outBits && one[static_cast<std::size_t>(part) - 1].term != 0;
    if (extends) fillOpaque(s, one, part, s.outBits / 8);
    setRegister(w, lane, s.outs[k], 0, one);
  }
}

void Symbolic::store(Warp& w, const Step& s, int lane, const Target& to) {
  const auto part = static_cast<std::size_t>(s.width == 16 ? 8 : s.width);
  const auto width = static_cast<std::size_t>(s.width * s.count), first = static_cast<std::size_t>(s.address) + 1;
  std::vector<Slot> slots(width);
  for (std::size_t k = 0; k * part < width && first + k < s.ins.size(); ++k) {
    const LaneSlots one = registerSlots(w, lane, s.ins[first + k]);
    std::copy_n(one.begin(), part, slots.begin() + static_cast<std::ptrdiff_t>(k * part));
  }
  setSlots(w, lane, to, slots);
}

void Symbolic::carry(Warp& w, int lane, const Target* from, const Target& to, int bytes) {
  setSlots(w, lane, to,
           from != nullptr ? slotsAt(w, lane, *from, bytes) : std::vector<Slot>(static_cast<std::size_t>(bytes)));
}

void Symbolic::combine(Warp& w, const Step& s, int lane, const Target& at, std::span<const Slot> given,
                       const std::uint8_t* numbers, std::string_view operation, Type packed) {
  const Type type = packed == Type::F16x2    ? Type::F16
                    : packed == Type::BF16x2 ? Type::BF16
                    : packed == Type::B128   ? Type::B64
                                             : packed;
  const auto n = static_cast<std::size_t>(std::max(ptx::bitsOf(type) / 8, 1));
  std::vector<Slot> slots = slotsAt(w, lane, at, static_cast<int>(given.size()));
  if (known(slots) && known(given)) return;
  for (std::size_t k = 0; k + n <= given.size(); k += n) {
    u64 old = 0, value = 0;
    std::copy_n(at.bytes + k, n, reinterpret_cast<std::uint8_t*>(&old));
    std::copy_n(numbers + k, n, reinterpret_cast<std::uint8_t*>(&value));
    const auto x = valueOf(std::span(slots).subspan(k), old, type), y = valueOf(given.subspan(k), value, type);
    std::optional<Terms::Value> out;
    if (x && y && operation == "add") out = values_.binary("+", *x, *y);
    if (x && y && (operation == "max" || operation == "min")) out = values_.binary(operation, *x, *y);
    const std::vector<Slot> made = slotsOf(out ? *out : opaque(s), type);
    std::copy(made.begin(), made.end(), slots.begin() + static_cast<std::ptrdiff_t>(k));
  }
  setSlots(w, lane, at, slots);
}

void Symbolic::reduce(Warp& w, const Step& s, int lane, const Target& at) {
  // 128 bits are two registers.
  const auto first = static_cast<std::size_t>(s.address) + 1;
  const std::size_t width = s.width == 16 ? 8 : static_cast<std::size_t>(s.width);
  const std::size_t count = s.width == 16 ? 2 : static_cast<std::size_t>(s.count);
  std::vector<Slot> given;
  std::vector<std::uint8_t> numbers;
  for (std::size_t k = 0; k < count; ++k) {
    const LaneSlots one = registerSlots(w, lane, s.ins[first + k]);
    const u64 bits = sourceOf(*program_, w, s.ins[first + k])[static_cast<std::size_t>(lane)];
    for (std::size_t b = 0; b < width; ++b) {
      given.push_back(one[b]);
      numbers.push_back(static_cast<std::uint8_t>(bits >> 8 * b));
    }
  }
  if (known(given) && known(slotsAt(w, lane, at, s.width * s.count))) return clear(w, s, Mask{1} << lane);
  // The value that it returns depends on the order.
  for (const Place p : s.outs) {
    LaneSlots one{};
    fillOpaque(s, one, 0, 8);
    setRegister(w, lane, p, 0, one);
  }
  combine(w, s, lane, at, given, numbers.data(), s.message, s.type);
}

void Symbolic::moveLocal(Warp& w, int lane, i64 from, i64 to, i64 bytes) const {
  Slot* const at = w.slots.local.data() + lane * program_->localBytes;
  const std::vector<Slot> moved(at + from, at + from + bytes);
  std::copy(moved.begin(), moved.end(), at + to);
}

void Symbolic::toLocal(Warp& w, int lane, Place from, i64 to, i64 bytes) const {
  const LaneSlots one = registerSlots(w, lane, from);
  std::copy_n(one.begin(), std::min<i64>(bytes, 8), w.slots.local.data() + lane * program_->localBytes + to);
}

void Symbolic::fromLocal(Warp& w, int lane, i64 from, Place to, i64 bytes) const {
  LaneSlots one{};
  std::copy_n(w.slots.local.data() + lane * program_->localBytes + from, std::min<i64>(bytes, 8), one.begin());
  setRegister(w, lane, to, 0, one);
}

Terms::Value Symbolic::element(int parameter, i64 index, Type type) {
  const int n = std::max(ptx::bitsOf(type) / 8, 1);
  Region* const region = memories_->buffer(static_cast<std::size_t>(parameter));
  if (region == nullptr) return Terms::undefined();
  Target at;
  at.region = region;
  at.offset = index * n;
  at.space = Space::Global;
  Warp none;
  const std::vector<Slot> slots = slotsAt(none, 0, at, n);
  u64 bits = 0;
  std::copy_n(region->chunk(at.offset).data + Region::within(at.offset), n, reinterpret_cast<std::uint8_t*>(&bits));
  const auto value = valueOf(slots, bits, type);
  return value ? *value : Terms::undefined();
}

void Symbolic::fillOpaque(const Step& s, LaneSlots& out, int from, int to) {
  const Terms::Value term = opaque(s);
  for (int k = from; k < to; ++k)
    out[static_cast<std::size_t>(k)] = {term, static_cast<std::uint8_t>(k), 8, Type::None};
}

}  // namespace tessera::kernel
