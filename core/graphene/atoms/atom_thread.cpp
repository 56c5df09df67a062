// Move by one thread: ld and st of every width, cp.async, registers to registers, and conversions.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/atlas/cutlass.h"
#include "core/atlas/scalar_operation.h"
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

// ld or st of the atlas; nullopt: no row is that wide.
std::optional<Pattern> halfOf(bool load, Memory memory, const Width& w) {
  const std::string verb = fmt::format("{}.{}", load ? "ld" : "st", spaceOf(memory)), regs = registersOf(w.bytes);
  const auto row = findInstruction(fmt::format("{}.{}", verb, w.ptx));
  if (!row) return std::nullopt;
  const std::string operands = load ? regs + ", [addr]" : "[addr], " + regs;
  return instruction(fmt::format("{}.{}", verb, w.name), fmt::format("{}.{} {};", verb, w.ptx, operands),
                     row->architecture, row->source);
}

// Elements of a vector per register: a register has two halves.
i64 packedRun(i64 count, int bits) { return std::min<i64>(count, std::max<i64>(1, 32 / std::max(bits, 1))); }

// One instruction between registers and memory; a load and a store between memory and memory.
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

// The widths that the leaf can fill, widest first, then the rest.
std::vector<Width> widthsFor(i64 count, int bits) {
  std::vector<Width> out(std::begin(kWidths), std::end(kWidths));
  std::stable_partition(out.begin(), out.end(), [&](const Width& w) { return w.bytes * 8 <= count * bits; });
  std::erase_if(out, [&](const Width& w) { return w.bytes * 8 % bits != 0; });
  return out;
}

Patterns asyncPatterns(const Spec& leaf, int bits, const std::string& element) {
  Patterns out;
  const i64 count = slotCount(leaf.inputs[0]).value_or(1);
  for (const auto& [bytes, cache] : {std::pair{16, "cg"}, {16, "ca"}, {8, "ca"}, {4, "ca"}}) {
    const std::string copy = fmt::format("cp.async.{}.{}", cache, bytes);
    if (leaf.attribute != "async" && leaf.attribute != std::string("async.") + cache) continue;
    if (bytes * 8 % bits != 0) continue;
    const auto row = findInstruction(copy);
    if (!row) continue;
    const i64 places = bytes * 8 / bits;
    Pattern p = instruction(copy, row->ptx + ";", row->architecture, row->source);
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

// Between registers: `mov` of any number, or a conversion of one value or of a pair.
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
  // A tf32 value is also an fp32 value. The only conversion to tf32 is from fp32 (PTX ISA, cvt).
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
  // PTX ISA, cvt: .rzi to an integer, toward zero; no rounding between integers.
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

// Operations of one thread on values (pointwise, Init), and exchanges in a warp (Shfl).

using Spelling = ScalarOperation::Spelling;

struct Type {
  const char* element;
  std::string_view Spelling::*spelling;
  i64 count;
  const char* architecture;
};
constexpr Type kTypes[] = {
    {"f16", &Spelling::half, 1, "sm_53"},    {"f16", &Spelling::pair, 2, "sm_53"},
    {"bf16", &Spelling::half, 1, "sm_80"},   {"bf16", &Spelling::pair, 2, "sm_80"},
    {"f32", &Spelling::single, 1, "sm_20"},  {"f64", &Spelling::twice, 1, "sm_20"},
    {"s32", &Spelling::integer, 1, "sm_20"},
};

// The atom's name: hadd of "__hadd", exp.f32 of "__expf".
std::string nameOf(const ScalarOperation& op, const Type& type) {
  const std::string_view spelled = op.atom.*type.spelling;
  if (spelled.starts_with("__h") && spelled.find('_', 3) == std::string_view::npos &&
      spelled.find('(') == std::string_view::npos)
    return std::string(spelled.substr(2));
  static constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}};
  std::string_view word = op.name;
  for (const auto& [sign, name] : words)
    if (word == sign) word = name;
  return fmt::format("{}.{}{}", word, type.element, type.count == 2 ? "x2" : "");
}

Pattern patternOf(const ScalarOperation& op, const Type& type) {
  Pattern out = instruction(nameOf(op, type), std::string(op.atom.*type.spelling), type.architecture,
                            "CUDA math API; PTX ISA, arithmetic");
  out.atom.function = op.arity == 1 ? AtomFunction::Unary : AtomFunction::Binary;
  out.atom.operation = op.name;
  for (int k = 0; k <= op.arity; ++k)
    out.operands.push_back(flatOperand(kAnywhere, type.element, type.count, type.count));
  return out;
}

// The values that Init can store in a type. Beyond them CUDA wraps around silently or does not compile.
struct Range {
  std::string_view element;
  double least, most;
  bool whole, infinite;
};
constexpr Range kRanges[] = {
    {"f64", -1.7976931348623157e308, 1.7976931348623157e308, false, true},
    {"f32", -3.4028234663852886e38, 3.4028234663852886e38, false, true},
    {"tf32", -3.4011621342146535e38, 3.4011621342146535e38, false, true},
    {"f16", -65504, 65504, false, true},
    {"bf16", -3.3895313892515355e38, 3.3895313892515355e38, false, true},
    {"e4m3", -448, 448, false, false},
    {"e5m2", -57344, 57344, false, false},
    {"s8", -128, 127, true, false},
    {"u8", 0, 255, true, false},
    {"s16", -32768, 32767, true, false},
    {"u16", 0, 65535, true, false},
    {"s32", -2147483648.0, 2147483647.0, true, false},
    {"u32", 0, 4294967295.0, true, false},
    {"s64", -9007199254740992.0, 9007199254740992.0, true, false},  // doubles represent all of these
    {"u64", 0, 9007199254740992.0, true, false},
};

const Range* rangeOf(const Tensor& to) {
  const std::string element = canonicalElement(to);
  const auto* at = std::ranges::find(kRanges, element, &Range::element);
  return at == std::end(kRanges) ? nullptr : at;
}

bool holds(const Tensor& to, double number) {
  const Range* range = rangeOf(to);
  if (range == nullptr) return true;
  if (std::isinf(number)) return range->infinite;
  return range->least <= number && number <= range->most && (!range->whole || std::trunc(number) == number);
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

Patterns pointwisePatterns(const Spec& leaf) {
  const ScalarOperation* op = scalarOperation(leaf.attribute, leaf.kind == SpecKind::UnaryPointwise ? 1 : 2);
  Patterns out;
  if (op == nullptr) return out;
  for (const Type& type : kTypes)
    if (!(op->atom.*type.spelling).empty()) out.push_back(patternOf(*op, type));
  return out;
}

std::optional<double> initialNumber(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "inf" || text == "-inf") return text[0] == '-' ? -kInfinity : kInfinity;
  if (!text.empty() && text.back() == 'f' && text.find_first_of(".0123456789") != std::string_view::npos)
    text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;  // rejects "nan" and "infinity"
}

std::string initialNumbers(const Tensor& to) {
  const Range* range = rangeOf(to);
  if (range == nullptr) return "a number";
  return fmt::format("a{} number from {} to {}{}", range->whole ? " whole" : "", range->least, range->most,
                     range->infinite ? ", inf or -inf" : "");
}

// Any number of registers (a C++ initialiser), or up to 16 bytes of memory.
Patterns initPatterns(const Spec& leaf) {
  Patterns out;
  const Tensor& to = leaf.outputs[0];
  const int bits = bitsOf(to);
  const auto number = initialNumber(leaf.attribute);
  if (!number || !holds(to, *number) || bits == 0) return out;
  const auto add = [&](std::string name, std::string ptx, i64 count, i64 run) {
    Pattern p = instruction(std::move(name), std::move(ptx), "sm_20", "PTX ISA, mov and st");
    p.atom.function = AtomFunction::Constant;
    p.atom.operation = leaf.attribute;
    p.operands = {flatOperand(memoryBit(to.memory), canonicalElement(to), count, run)};
    p.terms = [count] { return std::vector<std::vector<AtomTerm>>(static_cast<std::size_t>(count)); };
    out.push_back(std::move(p));
  };
  const i64 slots = slotCount(to).value_or(1);
  if (to.memory == Memory::Register) {
    add("mov", fmt::format("mov.b{} %r, {};", std::max(bits, 16), leaf.attribute), slots, 1);
    return out;
  }
  for (const Width& w : kWidths)
    if (w.bytes <= 16 && w.bytes * 8 % bits == 0) {
      const std::string store = fmt::format("st.{}.{}", spaceOf(to.memory), w.name);
      add(store, fmt::format("{} [addr], {};", store, leaf.attribute), w.bytes * 8 / bits, w.bytes * 8 / bits);
    }
  std::stable_partition(out.begin(), out.end(), [&](const Pattern& p) { return p.operands[0].levels[0] <= slots; });
  return out;
}

// <bfly 16>, <up 1>, <down 1>, <idx 0>: every lane of the warp has one register.
Patterns shufflePatterns(const Spec& leaf) {
  Patterns out;
  const std::string& text = leaf.attribute;
  for (const char* mode : {"bfly", "up", "down", "idx"}) {
    if (!text.starts_with(mode)) continue;
    int operand = -1;
    const char *begin = text.data() + std::string_view(mode).size(), *end = text.data() + text.size();
    const auto [last, error] = std::from_chars(begin, end, operand);
    const auto row = findInstruction(fmt::format("shfl.sync.{}", mode));
    if (error != std::errc() || last != end || operand < 0 || operand > 31 || !row) return out;
    const std::string element = canonicalElement(leaf.outputs[0]);
    const int bits = bitsOf(leaf.outputs[0]);
    for (const i64 count : {i64{1}, i64{2}}) {
      if (bits == 0 || bits > 32 || (count == 2 && bits != 16)) continue;
      Pattern p = instruction(
          fmt::format("shfl.{}", mode),
          fmt::format("{} d, a, {}, {}, 0xffffffff;", row->ptx, operand, std::string_view(mode) == "up" ? 0 : 31),
          row->architecture, row->source);
      p.atom.lanes = p.atom.together = 32;
      p.atom.collective = true;
      p.group = {{32, 1}};
      p.operands = {flatOperand(kRegister, element, count, count), flatOperand(kRegister, element, count, count)};
      p.terms = [mode, operand, count] {
        std::vector<std::vector<AtomTerm>> terms;
        for (int lane = 0; lane < 32; ++lane) {
          const auto from = shuffleSource(mode, lane, operand, std::string_view(mode) == "up" ? 0 : 31);
          for (int v = 0; v < count; ++v) terms.push_back({{(from ? *from : lane) * static_cast<int>(count) + v, 0}});
        }
        return terms;
      };
      out.push_back(std::move(p));
    }
  }
  return out;
}

}  // namespace tessera::graphene
