// Move by one thread: ld and st of every width, cp.async, registers to registers, and conversions.
#include <fmt/format.h>

#include <algorithm>

#include "core/atlas/cutlass.h"
#include "core/graphene/atoms/atom_pattern.h"

namespace tessera::graphene {
namespace {

struct Width {
  i64 bytes;
  const char* name;  // of the atom
  const char* ptx;   // of the type
};
constexpr Width kWidths[] = {{16, "v4", "v4.u32"}, {8, "v2", "v2.u32"}, {4, "u32", "u32"},
                             {2, "u16", "u16"},    {1, "u8", "u8"},     {32, "v8", "v8.b32"}};

const char* spaceOf(Memory memory) { return memory == Memory::Shared ? "shared" : "global"; }

std::string registersOf(i64 bytes) {
  std::string out;
  const i64 count = std::max<i64>(1, bytes / 4);
  for (i64 r = 0; r < count; ++r) out += fmt::format("{}%r{}", r == 0 ? "" : ",", r);
  return count == 1 ? out : "{" + out + "}";
}

// ld or st of the atlas; none: no row is that wide.
std::optional<Pattern> halfOf(bool load, Memory memory, const Width& w) {
  const std::string verb = fmt::format("{}.{}", load ? "ld" : "st", spaceOf(memory)), regs = registersOf(w.bytes);
  const auto row = findInstruction(fmt::format("{}.{}", verb, w.ptx));
  if (!row) return std::nullopt;
  const std::string operands = load ? regs + ", [addr]" : "[addr], " + regs;
  return instruction(fmt::format("{}.{}", verb, w.name), fmt::format("{}.{} {};", verb, w.ptx, operands),
                     row->architecture, row->source);
}

// Elements of a register that a vector of `bytes` fills: two halves lie in one.
i64 packedRun(i64 count, int bits) { return std::min<i64>(count, std::max<i64>(1, 32 / std::max(bits, 1))); }

// Registers and memory by one instruction, memory and memory by a load and a store.
std::optional<Pattern> vectorPattern(const Spec& leaf, const Width& w, i64 count, int bits,
                                     const std::string& element) {
  const Memory to = leaf.outputs[0].memory, from = leaf.inputs[0].memory;
  std::optional<Pattern> out = from == Memory::Register ? std::nullopt : halfOf(/*load=*/true, from, w);
  if (from != Memory::Register && !out) return std::nullopt;
  if (to != Memory::Register) {
    std::optional<Pattern> store = halfOf(/*load=*/false, to, w);
    if (!store) return std::nullopt;
    if (out) {
      out->atom.name += " + " + store->atom.name;
      out->atom.ptx += " " + store->atom.ptx;
    } else {
      out = std::move(store);
    }
  }
  const auto run = [&](Memory m) { return m == Memory::Register ? packedRun(count, bits) : count; };
  out->operands = {flatOperand(memoryBit(to), element, count, run(to)),
                   flatOperand(memoryBit(from), element, count, run(from))};
  return out;
}

// Widest first of those that the leaf could fill, then the others.
std::vector<Width> widthsFor(i64 count, int bits) {
  std::vector<Width> out(std::begin(kWidths), std::end(kWidths));
  std::stable_partition(out.begin(), out.end(), [&](const Width& w) { return w.bytes * 8 <= count * bits; });
  std::erase_if(out, [&](const Width& w) { return w.bytes * 8 % bits != 0; });
  return out;
}

Patterns asyncPatterns(const Spec& leaf, int bits, const std::string& element) {
  Patterns out;
  const i64 count = slotCount(leaf.inputs[0]).value_or(1);
  struct Copy {
    int bytes;
    const char* cache;
  };
  for (const Copy& c : {Copy{16, "cg"}, Copy{16, "ca"}, Copy{8, "ca"}, Copy{4, "ca"}}) {
    if (leaf.attribute != "async" && leaf.attribute != std::string("async.") + c.cache) continue;
    if (c.bytes * 8 % bits != 0) continue;
    const auto row = findInstruction(fmt::format("cp.async.{}.{}", c.cache, c.bytes));
    if (!row) continue;
    const i64 places = c.bytes * 8 / bits;
    Pattern p =
        instruction(fmt::format("cp.async.{}.{}", c.cache, c.bytes), row->ptx + ";", row->architecture, row->source);
    p.atom.async = true;
    p.operands = {flatOperand(kShared, element, places, places), flatOperand(kGlobal, element, places, places)};
    if (const AtlasAccess* access = accessOf(*row, MemorySpace::Shared)) p.accesses.push_back({0, *access});
    if (const AtlasAccess* access = accessOf(*row, MemorySpace::Global)) p.accesses.push_back({1, *access});
    out.push_back(std::move(p));
  }
  std::stable_partition(out.begin(), out.end(),
                        [&](const Pattern& p) { return p.operands[1].levels.front() <= count; });
  return out;
}

// Between registers, any number of them: `mov`, or one conversion of one value or of a pair.
Patterns registerPatterns(const Spec& leaf, const std::string& from, const std::string& to) {
  Patterns out;
  const i64 count = slotCount(leaf.outputs[0]).value_or(1);
  const auto add = [&](std::string name, std::string ptx, const char* source, const char* architecture,
                       unsigned memories, i64 n, i64 run) {
    Pattern p = instruction(std::move(name), std::move(ptx), architecture, source);
    p.operands = {flatOperand(memories, to, n, run), flatOperand(memories, from, n, 1)};
    out.push_back(std::move(p));
  };
  if (from == to) {
    const auto row = findInstruction("copy.32");
    add("mov", "mov.b32", row ? "CuTe, UniversalCopy: a C++ assignment" : "", "sm_20", kRegister, count, 1);
    return out;
  }
  const auto known = [](const std::string& type) { return elementType(type).has_value(); };
  if (!known(from) || !known(to)) return out;
  // A register of tf32 is one of fp32; the other way there is one conversion (PTX ISA, cvt: .tf32 from .f32 alone).
  if (from == "tf32" && to == "f32") {
    constexpr const char* kSame = "PTX ISA, cvt: a value of .tf32 is one of .f32";
    add("mov", "mov.b32", kSame, "sm_20", kRegister, count, 1);
    if (count == 1) add("mov", "mov.b32", kSame, "sm_20", kAnywhere, 1, 1);
    return out;
  }
  if (to == "tf32") {
    add("cvt.rna.tf32.f32", "cvt.rna.tf32.f32;", "PTX ISA, cvt", "sm_80", kAnywhere, 1, 1);
    out.back().operands[1].element = "f32";
    return out;
  }
  const bool bfloat = from == "bf16" || to == "bf16";
  // PTX ISA, cvt: to an integer .rzi, toward zero; between integers nothing is rounded.
  const auto whole = [](std::string_view type) { return type[0] == 's' || type[0] == 'u'; };
  const char* const rounding = !whole(to) ? ".rn" : whole(from) ? "" : ".rzi";
  const std::string rounded = fmt::format("cvt{}.{}.{}", rounding, to, from == "tf32" ? "f32" : from);
  add(rounded, rounded + ";", "PTX ISA, cvt", bfloat ? "sm_80" : "sm_53", kAnywhere, 1, 1);
  if (from == "f32" && (to == "f16" || to == "bf16"))
    add(fmt::format("cvt.rn.{}x2.f32", to), fmt::format("cvt.rn.{}x2.f32 d, a, b;", to), "PTX ISA, cvt", "sm_80",
        kRegister, 2, 2);
  if ((from == "f16" || from == "bf16") && to == "f32")
    add(fmt::format("{}22float2", from == "f16" ? "__half" : "__bfloat16"), "two of cvt.f32." + from, "CUDA math API",
        bfloat ? "sm_80" : "sm_53", kRegister, 2, 1);
  return out;
}

}  // namespace

Patterns movePatterns(const Spec& leaf) {
  const Tensor &to = leaf.outputs[0], &from = leaf.inputs[0];
  const std::string wanted = canonicalElement(to), source = canonicalElement(from);
  const int bits = bitsOf(from);
  if (bits == 0) return {};
  if (leaf.attribute.starts_with("async")) return asyncPatterns(leaf, bits, wanted);
  if (!leaf.attribute.empty()) return {};
  const bool registers = to.memory == Memory::Register && from.memory == Memory::Register;
  if (wanted != source || registers) return registerPatterns(leaf, source, wanted);
  Patterns out;
  for (const Width& w : widthsFor(slotCount(from).value_or(1), bits))
    if (auto pattern = vectorPattern(leaf, w, w.bytes * 8 / bits, bits, source)) out.push_back(*std::move(pattern));
  return out;
}

}  // namespace tessera::graphene
