#include "core/paste/cute_cpp/meaning.h"

#include <algorithm>
#include <array>

#include "core/atlas/cutlass.h"

namespace tessera::paste::cute_cpp {

Meaning number(i64 value, bool isStatic) {
  Meaning out;
  out.kind = Meaning::Kind::Number;
  out.number = value;
  out.isStatic = isStatic;
  return out;
}

Meaning textual(Meaning::Kind kind, std::string text) {
  Meaning out;
  out.kind = kind;
  out.text = std::move(text);
  return out;
}

Meaning tuple(std::vector<Meaning> parts) {
  Meaning out;
  out.kind = Meaning::Kind::Tuple;
  out.parts = std::move(parts);
  return out;
}

Meaning unknown(const std::vector<Meaning>& from) {
  Meaning out;
  for (const Meaning& one : from)
    for (const Question& question : one.asks) out.asks.push_back(question);
  return out;
}

std::string operandOf(const Meaning& number) {
  if (!number.formula.empty()) return number.formula;
  return number.number < 0 ? "(0 - " + std::to_string(-number.number) + ")" : std::to_string(number.number);
}

std::string formulaOf(std::string_view op, const Meaning& a, const Meaning& b) {
  if (a.formula.empty() && b.formula.empty()) return "";
  std::string_view word = op;
  if (op == "&&") word = "and";
  if (op == "||") word = "or";
  if (op == "<<" && b.formula.empty() && b.number >= 0 && b.number < 62)
    return "(" + a.formula + " * " + std::to_string(i64{1} << b.number) + ")";
  // C++ truncates, the worksheet rounds down.
  if ((op == "/" || op == "%") && (a.number < 0 || b.number <= 0)) return "";
  constexpr std::array<std::string_view, 13> kShared = {
      "+", "-", "*", "/", "%", "==", "!=", "<=", "<", ">=", ">", "and", "or"};
  if (std::find(kShared.begin(), kShared.end(), word) == kShared.end()) return "";
  return "(" + operandOf(a) + " " + std::string(word) + " " + operandOf(b) + ")";
}

Meaning chosenBy(const Meaning& condition, Meaning chosen, const Meaning& a, const Meaning& b) {
  if (condition.formula.empty() || a.kind != b.kind) return chosen;
  const std::string head = "choose(" + condition.formula + ", ";
  if (a.is(Meaning::Kind::Number)) chosen.formula = head + operandOf(a) + ", " + operandOf(b) + ")";
  if (a.is(Meaning::Kind::Layout) || a.is(Meaning::Kind::Tiled)) chosen.text = head + a.text + ", " + b.text + ")";
  return chosen;
}

std::string written(const Meaning& meaning, bool inTuple) {
  switch (meaning.kind) {
    case Meaning::Kind::Number: {
      if (!meaning.formula.empty()) return meaning.formula;
      std::string out = std::to_string(meaning.number);
      return meaning.isStatic && inTuple ? "_" + out : out;
    }
    case Meaning::Kind::Type:
      return inTuple ? "?" : meaning.text;
    case Meaning::Kind::Pack:
    case Meaning::Kind::Tuple: {
      std::string out = "(";
      for (std::size_t i = 0; i < meaning.parts.size(); ++i) {
        if (i > 0) out += ",";
        out += written(meaning.parts[i]);
      }
      if (meaning.parts.size() == 1) out += ",";
      return out + ")";
    }
    default:
      return meaning.text;
  }
}

std::string_view nounOf(const Meaning& meaning) {
  constexpr std::array<std::string_view, 12> kNouns = {
      "unknown",  "an integer",          "a leaf of a tuple", "a tuple",     "a type",
      "a layout", "a tiled mma or copy", "an instruction",    "a copy atom", "a C++ name",
      "a struct", "a parameter pack"};
  return kNouns[static_cast<std::size_t>(meaning.kind)];
}

std::optional<std::string> elementName(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kOthers = {{{"half", "half_t"},
                                                                                      {"__half", "half_t"},
                                                                                      {"fp16", "half_t"},
                                                                                      {"bf16", "bfloat16_t"},
                                                                                      {"nv_bfloat16", "bfloat16_t"},
                                                                                      {"__nv_bfloat16", "bfloat16_t"},
                                                                                      {"fp8", "float_e4m3_t"},
                                                                                      {"__nv_fp8_e4m3", "float_e4m3_t"},
                                                                                      {"__nv_fp8_e5m2", "float_e5m2_t"},
                                                                                      {"fp32", "float"},
                                                                                      {"tf32", "tfloat32_t"},
                                                                                      {"size_t", "uint64_t"},
                                                                                      {"unsigned", "uint32_t"},
                                                                                      {"unsigned int", "uint32_t"}}};
  for (const auto& [other, known] : kOthers)
    if (name == other) return std::string(known);
  if (!elementType(name)) return std::nullopt;
  return std::string(name);
}

std::optional<int> bitsOf(const Meaning& type) {
  if (!type.is(Meaning::Kind::Type)) return std::nullopt;
  const auto known = elementType(type.text);
  return known ? std::optional(known->bits) : std::nullopt;
}

}  // namespace tessera::paste::cute_cpp
