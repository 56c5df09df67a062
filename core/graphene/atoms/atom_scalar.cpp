// What one thread does with values (pointwise operations, Init), and what a warp exchanges (Shfl).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/atlas/scalar_operation.h"
#include "core/graphene/atoms/atom_pattern.h"

namespace tessera::graphene {
namespace {

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

}  // namespace

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
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;  // "nan", "infinity" are none
}

namespace {

// What a type can begin with. Beyond it CUDA wraps around, says nothing, or refuses to compile.
struct Range {
  const char* element;
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
    {"s64", -9007199254740992.0, 9007199254740992.0, true, false},  // every one of them is a double
    {"u64", 0, 9007199254740992.0, true, false},
};

const Range* rangeOf(const Tensor& to) {
  const std::string element = canonicalElement(to);
  const auto* at =
      std::find_if(std::begin(kRanges), std::end(kRanges), [&](const Range& r) { return r.element == element; });
  return at == std::end(kRanges) ? nullptr : at;
}

bool holds(const Tensor& to, double number) {
  const Range* range = rangeOf(to);
  if (range == nullptr) return true;
  if (std::isinf(number)) return range->infinite;
  return range->least <= number && number <= range->most && (!range->whole || std::trunc(number) == number);
}

}  // namespace

std::string initialNumbers(const Tensor& to) {
  const Range* range = rangeOf(to);
  if (range == nullptr) return "a number";
  return fmt::format("a{} number from {} to {}{}", range->whole ? " whole" : "", range->least, range->most,
                     range->infinite ? ", inf or -inf" : "");
}

// Registers in any number (a C++ initialiser), memory up to 16 bytes.
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
  const char* space = to.memory == Memory::Shared ? "shared" : "global";
  struct Width {
    i64 bytes;
    const char* name;
  };
  for (const Width& w : {Width{16, "v4"}, Width{8, "v2"}, Width{4, "u32"}, Width{2, "u16"}, Width{1, "u8"}})
    if (w.bytes * 8 % bits == 0)
      add(fmt::format("st.{}.{}", space, w.name), fmt::format("st.{}.{} [addr], {};", space, w.name, leaf.attribute),
          w.bytes * 8 / bits, w.bytes * 8 / bits);
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
