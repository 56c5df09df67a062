#include "core/codegen/kernel/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "core/atlas/cutlass.h"
#include "core/atlas/scalar_operation.h"
#include "core/graphene/atoms/atom.h"

namespace tessera::codegen {
namespace {

constexpr ScalarType kTypes[] = {{"f64", "double", "", "", 64},
                                 {"f32", "float", "", "", 32},
                                 {"tf32", "float", "", "", 32},
                                 {"f16", "half", "half2", "cuda_fp16.h", 16},
                                 {"bf16", "__nv_bfloat16", "__nv_bfloat162", "cuda_bf16.h", 16},
                                 {"e4m3", "unsigned char", "", "", 8},
                                 {"e5m2", "unsigned char", "", "", 8},
                                 {"s8", "signed char", "", "", 8},
                                 {"u8", "unsigned char", "", "", 8},
                                 {"s16", "short", "", "", 16},
                                 {"u16", "unsigned short", "", "", 16},
                                 {"s32", "int", "", "", 32},
                                 {"u32", "unsigned", "", "", 32},
                                 {"s64", "long long", "", "", 64},
                                 {"u64", "unsigned long long", "", "", 64},
                                 {"mbarrier", "unsigned long long", "", "", 64}};

bool isHalf(const ScalarType& t) { return t.element == "f16" || t.element == "bf16"; }
bool isReal(const ScalarType& t) { return t.element == "f32" || t.element == "tf32" || t.element == "f64"; }
std::string_view fromFloat(const ScalarType& t) {
  return t.element == "f16" ? "__float2half_rn" : "__float2bfloat16_rn";
}
std::string_view toFloat(const ScalarType& t) { return t.element == "f16" ? "__half2float" : "__bfloat162float"; }

std::string ofIntegers(std::string_view text, const ScalarType& type) {
  const std::string wrapping = fmt::format("static_cast<{}>", type.bits == 64 ? "unsigned long long" : "unsigned");
  std::string out = replaced(std::string(text), "{0}", fmt::format("static_cast<{}>(0)", type.text));
  out = replaced(out, "{i}", fmt::format("static_cast<{}>", type.text));
  return replaced(out, "{u}", wrapping);
}

// The code of the nearest 8-bit number, the even one of two. `most`: the code of the largest number.
int bitsOfSmall(double value, int mantissa, int bias, int most) {
  int nearest = 0;
  double distance = std::fabs(value);
  for (int code = 1; code <= most; ++code) {
    const int exponent = code >> mantissa, fraction = code & ((1 << mantissa) - 1);
    const double is = exponent == 0 ? std::ldexp(fraction, 1 - bias - mantissa)
                                    : std::ldexp((1 << mantissa) + fraction, exponent - bias - mantissa);
    const double off = std::fabs(std::fabs(value) - is);
    if (off > distance || (off == distance && code % 2 != 0)) continue;
    nearest = code;
    distance = off;
  }
  return nearest | (std::signbit(value) ? 0x80 : 0);
}

// Whether tf32 has the number: its last 13 bits are 0.
bool isShort(double value) {
  const auto single = static_cast<float>(value);
  return static_cast<double>(single) == value && (std::bit_cast<std::uint32_t>(single) & 0x1fffu) == 0;
}

}  // namespace

std::optional<ScalarType> scalarType(std::string_view element) {
  const auto known = elementType(element);
  const std::string_view name = known ? known->name : element;
  const auto* row = std::ranges::find(kTypes, name, &ScalarType::element);
  return row == std::end(kTypes) ? std::nullopt : std::optional(*row);
}

std::string operationText(std::string_view operation, const ScalarType& type, bool pair) {
  const ScalarOperation* row = scalarOperation(operation);
  if (row == nullptr) return "";
  if (type.element == "f64") return std::string(row->text.twice);
  if (isReal(type)) return std::string(row->text.single);
  if (!isHalf(type)) return ofIntegers(row->text.integer, type);
  std::string text(pair ? row->text.pair : row->text.half);
  text = replaced(replaced(text, "{<}", fromFloat(type)), "{>}", toFloat(type));
  text = replaced(text, "{00}", type.element == "f16" ? "__float2half2_rn(0.0f)" : "__float2bfloat162_rn(0.0f)");
  return replaced(text, "{0}", fmt::format("{}(0.0f)", fromFloat(type)));
}

std::string multiplyAddText(const ScalarType& type, bool pair) {
  if (isHalf(type)) return pair ? "__hfma2({}, {}, {})" : "__hfma({}, {}, {})";
  if (type.element == "f64") return "fma({}, {}, {})";
  return isReal(type) ? "fmaf({}, {}, {})" : ofIntegers("{i}({u}({}) * {u}({}) + {u}({}))", type);
}

std::string conversionText(const ScalarType& from, const ScalarType& to) {
  if (from.element == to.element) return "{}";
  if (from.element.starts_with("e") || to.element.starts_with("e")) return "";
  if (to.element == "tf32") return from.element == "f32" ? "tessera::to_tf32({})" : "";
  const bool real = isHalf(from) || isReal(from);
  std::string value = "{}";
  if (isHalf(from)) value = fmt::format("{}({{}})", toFloat(from));
  // Rounds toward zero and saturates, where a C++ cast is undefined.
  if (real && !isHalf(to) && !isReal(to)) {
    const bool wide = from.element == "f64";
    if (to.bits < 32) return fmt::format("tessera::to_{}_{}({})", to.element, wide ? "f64" : "f32", value);
    const std::string_view integer =
        to.element[0] == 's' ? (to.bits == 64 ? "ll" : "int") : (to.bits == 64 ? "ull" : "uint");
    return fmt::format("__{}2{}_rz({})", wide ? "double" : "float", integer, value);
  }
  if (isHalf(to)) {
    if (from.element == "f64") return to.element == "f16" ? "__double2half({})" : "__double2bfloat16({})";
    if (!isHalf(from) && from.element != "f32" && from.element != "tf32") value = "static_cast<float>({})";
    return fmt::format("{}({})", fromFloat(to), value);
  }
  if (from.text == to.text || (isHalf(from) && to.element == "f32")) return value;
  return fmt::format("static_cast<{}>({})", to.text, value);
}

std::string constantText(std::string_view number, const ScalarType& type) {
  const bool infinite = number == "inf" || number == "-inf";
  const double value = graphene::initialNumber(number).value_or(0);
  // These types have no literals; an integer would be taken as the bits.
  if (type.element == "e4m3") return fmt::format("static_cast<{}>({:#04x})", type.text, bitsOfSmall(value, 3, 7, 0x7e));
  if (type.element == "e5m2")
    return fmt::format("static_cast<{}>({:#04x})", type.text, bitsOfSmall(value, 2, 15, 0x7b));
  std::string text(number);
  if (!infinite && text.back() == 'f') text.pop_back();
  if (!isHalf(type) && !isReal(type)) return fmt::format("static_cast<{}>({})", type.text, text);
  if (infinite) {
    text = fmt::format("{}tessera::infinity()", number[0] == '-' ? "-" : "");
  } else {
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    if (type.element != "f64") text += "f";
    if (type.element == "tf32" && !isShort(value)) text = fmt::format("tessera::to_tf32({})", text);
  }
  return isHalf(type) ? fmt::format("{}({})", fromFloat(type), text) : text;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

std::string filled(std::string_view text, const std::vector<std::string>& operands) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) != "{}") {
      out += text[i];
      continue;
    }
    out += next < operands.size() ? operands[next++] : "";
    ++i;
  }
  return out;
}

}  // namespace tessera::codegen
