#include <fmt/format.h>

#include <bit>

#include "core/ptx/read.h"
#include "solver/kernel/code/decoder.h"

namespace tessera::kernel {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

void Decoder::fail(Step& s, std::string message) {
  s.kind = Step::Kind::Unsupported;
  s.message = std::move(message);
}

Place Decoder::placeOf(int reg) const { return places_[static_cast<std::size_t>(reg)]; }

Place Decoder::constant(u64 value) {
  const auto [at, made] = constants_.try_emplace(value, ~static_cast<Place>(program_.constants.size()));
  if (made) {
    Lanes lanes;
    lanes.fill(value);
    program_.constants.push_back(lanes);
  }
  return at->second;
}

namespace {

bool isFloatLiteral(Type t) {
  return t == Type::F16 || t == Type::BF16 || t == Type::TF32 || t == Type::F32 || t == Type::F64;
}
// The bits of a literal as an operand of type `as`.
u64 literal(const Operand& o, Type as) {
  const int bits = ptx::bitsOf(as);
  if (o.kind == Operand::Kind::Float) {
    const double number = o.type == Type::F32 ? double{std::bit_cast<float>(static_cast<std::uint32_t>(o.bits))}
                                              : std::bit_cast<double>(o.bits);
    if (as == Type::F64 || bits == 64) return o.type == Type::F32 ? std::bit_cast<u64>(number) : o.bits;
    return o.type == Type::F32 ? o.bits : std::bit_cast<std::uint32_t>(static_cast<float>(number));
  }
  if (as == Type::Pred) return o.bits != 0 ? 1 : 0;
  if (as == Type::F32) return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<i64>(o.bits)));
  if (as == Type::F64) return std::bit_cast<u64>(static_cast<double>(static_cast<i64>(o.bits)));
  return bits > 0 && bits < 64 ? o.bits & ((u64{1} << bits) - 1) : o.bits;
}

constexpr std::string_view kTriples[] = {"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                                         "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
constexpr Place kTripleAt[] = {kTidX, kNTidX, kCtaX, kNCtaX, kClusterX, kNClusterX, kClusterCtaX, kClusterNCtaX};
constexpr std::pair<std::string_view, Place> kSingles[] = {{"%laneid", kLane},
                                                           {"%warpid", kWarp},
                                                           {"%nwarpid", kNWarp},
                                                           {"%lanemask_eq", kMaskEq},
                                                           {"%lanemask_lt", kMaskLt},
                                                           {"%lanemask_le", kMaskLe},
                                                           {"%lanemask_gt", kMaskGt},
                                                           {"%lanemask_ge", kMaskGe},
                                                           {"%smid", kSmId},
                                                           {"%nsmid", kNSmId},
                                                           {"%gridid", kGridId},
                                                           {"%cluster_ctarank", kClusterCtaRank},
                                                           {"%cluster_nctarank", kClusterNCtaRank},
                                                           {"%is_explicit_cluster", kExplicitCluster},
                                                           {"%dynamic_smem_size", kDynamicShared},
                                                           {"%total_smem_size", kTotalShared},
                                                           {"%aggr_smem_size", kAggrShared},
                                                           {"%clock", kClock},
                                                           {"%clock_hi", kClock},
                                                           {"%clock64", kClock},
                                                           {"%globaltimer", kClock},
                                                           {"%globaltimer_lo", kClock},
                                                           {"%globaltimer_hi", kClock}};

std::optional<Place> specialPlace(const Operand& o) {
  for (std::size_t k = 0; k < std::size(kTriples); ++k)
    if (o.name == kTriples[k] && o.component >= 0 && o.component < 3) return kTripleAt[k] + o.component;
  for (const auto& [name, place] : kSingles)
    if (o.name == name) return place;
  return std::nullopt;
}

}  // namespace

std::optional<u64> Decoder::address(Step& s, const Operand& o) {
  const Symbol* symbol = find(o.name);
  if (symbol == nullptr) {
    fail(s, fmt::format("{} is not declared", o.name));
    return std::nullopt;
  }
  return static_cast<u64>(symbol->offset + o.offset);
}

Place Decoder::value(Step& s, const Operand& o, Type as) {
  switch (o.kind) {
    case Operand::Kind::Register:
      return o.component > 0 ? placeOf(o.index) + o.component : placeOf(o.index);
    case Operand::Kind::Integer:
    case Operand::Kind::Float: {
      u64 bits = literal(o, as);
      if (o.negated && isFloatLiteral(as)) bits ^= u64{1} << (ptx::bitsOf(as) - 1);
      return constant(bits);
    }
    case Operand::Kind::Symbol: {
      const auto at = address(s, o);
      return constant(at.value_or(0));
    }
    case Operand::Kind::Special:
      if (const auto place = specialPlace(o)) return *place;
      if (o.name == "WARP_SZ") return constant(32);
      fail(s, fmt::format("the register {} is not supported", o.name));
      return constant(0);
    case Operand::Kind::Sink:
      return constant(0);
    default:
      fail(s, "an operand of this form is not supported here");
      return constant(0);
  }
}

// The scalar operands of vectors, pairs and groups, in order.
void Decoder::flatten(Step& s, const Operand& o, std::vector<const Operand*>& out) const {
  if (o.kind == Operand::Kind::Vector || o.kind == Operand::Kind::Group || o.kind == Operand::Kind::Pair)
    for (const Operand& part : o.parts) flatten(s, part, out);
  else
    out.push_back(&o);
}

void Decoder::results(Step& s, const Operand& o) {
  std::vector<const Operand*> flat;
  flatten(s, o, flat);
  for (const Operand* part : flat) {
    if (part->kind == Operand::Kind::Register) {
      const auto& d = program_.functions[static_cast<std::size_t>(function_)].function->declaration(part->index);
      const Place first = part->component > 0 ? placeOf(part->index) + part->component : placeOf(part->index);
      if (s.outs.empty()) s.outBits = std::max(1, std::min(64, ptx::bitsOf(d.type)));
      s.outs.push_back(first);
      if (d.type == Type::B128) s.outs.push_back(first + 1);
      if (d.vector > 1 && part->component < 0)
        for (int k = 1; k < d.vector; ++k) s.outs.push_back(first + k);
    } else if (part->kind == Operand::Kind::Sink) {
      s.outs.push_back(kNoPlace);
    } else {
      fail(s, "the result of an instruction must be a register");
    }
  }
}

void Decoder::sources(Step& s, const Operand& o, Type as) {
  std::vector<const Operand*> flat;
  flatten(s, o, flat);
  for (const Operand* part : flat) {
    const Place first = value(s, *part, as);
    if (part->kind == Operand::Kind::Register && part->negated) s.inverted |= 1u << s.ins.size();
    s.ins.push_back(first);
    if (part->kind != Operand::Kind::Register) continue;
    const auto& d = program_.functions[static_cast<std::size_t>(function_)].function->declaration(part->index);
    if (d.type == Type::B128) s.ins.push_back(first + 1);
    if (d.vector > 1 && part->component < 0)
      for (int k = 1; k < d.vector; ++k) s.ins.push_back(first + k);
  }
}

void Decoder::memory(Step& s, const Operand& o, Space space) {
  s.space = space;
  s.address = static_cast<int>(s.ins.size());
  const Operand* base = &o;
  if (o.kind == Operand::Kind::Address) {
    s.offset = o.offset;
    if (o.parts.empty()) {
      s.ins.push_back(constant(0));
      return;
    }
    base = &o.parts[0];
  }
  if (base->kind == Operand::Kind::Symbol) {
    const Symbol* symbol = find(base->name);
    if (symbol == nullptr) return fail(s, fmt::format("{} is not declared", base->name));
    if (space == Space::Param || space == Space::Generic) s.space = symbol->space;
    s.offset += symbol->offset + base->offset;
    s.ins.push_back(constant(0));
    return;
  }
  s.ins.push_back(value(s, *base, Type::U64));
}

}  // namespace tessera::kernel
