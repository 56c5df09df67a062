#include "solver/kernel/launch/element.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/chars.h"

namespace tessera::kernel {

namespace {

constexpr std::array kElements = {
    Element{"float32", " f32 fp32 float single ", "<f4", 4, Element::Kind::Float, 8, 23},
    Element{"float64", " f64 fp64 double ", "<f8", 8, Element::Kind::Float, 11, 52},
    Element{"float16", " f16 fp16 half ", "<f2", 2, Element::Kind::Float, 5, 10},
    Element{"bfloat16", " bf16 ", "|V2", 2, Element::Kind::Float, 8, 7},
    Element{"tfloat32", " tf32 ", "<f4", 4, Element::Kind::Float, 8, 23},
    Element{"float8_e4m3fn", " e4m3 f8e4m3 fp8e4m3 float8e4m3 ", "|V1", 1, Element::Kind::Float, 4, 3},
    Element{"float8_e5m2", " e5m2 f8e5m2 fp8e5m2 float8e5m2 ", "|V1", 1, Element::Kind::Float, 5, 2},
    Element{"bool", " bool_ bool8 i1 ", "|b1", 1, Element::Kind::Bool, 0, 0},
    Element{"int8", " i8 s8 ", "|i1", 1, Element::Kind::Signed, 0, 0},
    Element{"int16", " i16 s16 short ", "<i2", 2, Element::Kind::Signed, 0, 0},
    Element{"int32", " i32 s32 int ", "<i4", 4, Element::Kind::Signed, 0, 0},
    Element{"int64", " i64 s64 long longlong ", "<i8", 8, Element::Kind::Signed, 0, 0},
    Element{"uint8", " u8 uchar ubyte ", "|u1", 1, Element::Kind::Unsigned, 0, 0},
    Element{"uint16", " u16 ushort ", "<u2", 2, Element::Kind::Unsigned, 0, 0},
    Element{"uint32", " u32 uint ", "<u4", 4, Element::Kind::Unsigned, 0, 0},
    Element{"uint64", " u64 ulong size_t ", "<u8", 8, Element::Kind::Unsigned, 0, 0},
    Element{"b8", " byte ", "|V1", 1, Element::Kind::Bits, 0, 0},
    Element{"b16", " ", "|V2", 2, Element::Kind::Bits, 0, 0},
    Element{"b32", " ", "|V4", 4, Element::Kind::Bits, 0, 0},
    Element{"b64", " ", "|V8", 8, Element::Kind::Bits, 0, 0},
    Element{"complex64", " c8 c64 ", "<c8", 8, Element::Kind::Bits, 0, 0},
    Element{"complex128", " c16 c128 ", "<c16", 16, Element::Kind::Bits, 0, 0},
};

// e4m3 has no infinity: its largest exponent holds numbers, and all ones is NaN.
bool finiteOnly(const Element& e) { return e.exponentBits == 4; }

u64 lowBits(int count) { return count >= 64 ? ~u64{0} : (u64{1} << count) - 1; }

}  // namespace

const Element* elementNamed(std::string_view name) {
  const std::string low = lowerCase(name), padded = " " + low + " ";
  for (const Element& e : kElements)
    if (e.name == low || e.also.find(padded) != std::string_view::npos) return &e;
  return nullptr;
}

const Element* elementOfDescr(std::string_view descr) {
  for (const Element& e : kElements)
    if (e.descr == descr) return &e;
  return nullptr;
}

std::string elementNames() {
  std::string out;
  for (const Element& e : kElements) out += (out.empty() ? "" : ", ") + std::string(e.name);
  return out;
}

u64 encoded(const Element& e, double value) {
  const int bias = (1 << (e.exponentBits - 1)) - 1;
  const u64 sign = std::signbit(value) ? u64{1} << (e.exponentBits + e.mantissaBits) : 0;
  const u64 infinity = lowBits(e.exponentBits) << e.mantissaBits;
  const u64 nan = finiteOnly(e) ? infinity | lowBits(e.mantissaBits) : infinity | u64{1} << (e.mantissaBits - 1);
  const u64 largest = finiteOnly(e) ? nan - 1 : infinity - 1;
  if (std::isnan(value)) return nan;
  if (std::isinf(value)) return sign | (finiteOnly(e) ? largest : infinity);
  const double magnitude = std::abs(value);
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  // In units of the last place; exact, and nearbyint rounds ties to even.
  const double scaled = std::nearbyint(std::ldexp(magnitude, e.mantissaBits - exponent));
  if (scaled >= std::ldexp(1.0, e.exponentBits + 62)) return sign | infinity;
  // A carry into the next exponent is right in this form; a subnormal number has no hidden bit to remove.
  const u64 bits = (static_cast<u64>(exponent + bias - 1) << e.mantissaBits) + static_cast<u64>(scaled);
  if (bits > largest) return sign | (finiteOnly(e) ? largest : infinity);
  return sign | bits;
}

double decoded(const Element& e, u64 bits) {
  switch (e.kind) {
    case Element::Kind::Bool:
      return (bits & 0xff) != 0 ? 1 : 0;
    case Element::Kind::Unsigned:
      return static_cast<double>(bits & lowBits(8 * e.bytes));
    case Element::Kind::Signed: {
      const int shift = 64 - 8 * e.bytes;
      return static_cast<double>(static_cast<i64>(bits << shift) >> shift);
    }
    case Element::Kind::Bits:
      return 0;
    case Element::Kind::Float:
      break;
  }
  const int bias = (1 << (e.exponentBits - 1)) - 1;
  const u64 mantissa = bits & lowBits(e.mantissaBits);
  const u64 exponent = bits >> e.mantissaBits & lowBits(e.exponentBits);
  const bool negative = (bits >> (e.mantissaBits + e.exponentBits) & 1) != 0;
  double out = 0;
  if (exponent == lowBits(e.exponentBits) && (!finiteOnly(e) || mantissa == lowBits(e.mantissaBits)))
    out = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    out = std::ldexp(static_cast<double>(mantissa), 1 - bias - e.mantissaBits);
  else
    out = std::ldexp(static_cast<double>(mantissa | u64{1} << e.mantissaBits),
                     static_cast<int>(exponent) - bias - e.mantissaBits);
  return negative ? -out : out;
}

std::optional<u64> valueOf(const Element& e, std::string_view text) {
  const std::string low = lowerCase(stripped(text));
  if (low.empty()) return std::nullopt;
  if (e.kind == Element::Kind::Bool && (low == "true" || low == "false")) return low == "true" ? 1 : 0;
  const char* const end = low.data() + low.size();
  if (e.kind == Element::Kind::Float && !low.starts_with("0x")) {
    double value = 0;
    const bool plus = low[0] == '+';
    const auto [stop, error] = std::from_chars(low.data() + (plus ? 1 : 0), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return encoded(e, value);
  }
  const bool negative = low[0] == '-';
  std::string_view digits = low;
  if (negative || low[0] == '+') digits.remove_prefix(1);
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  u64 value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || stop != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  const int bits = std::min(64, 8 * e.bytes);
  const bool isSigned = e.kind == Element::Kind::Signed;
  if (e.kind == Element::Kind::Bool && value > 1) return std::nullopt;
  if (negative) {
    if (!isSigned || value > u64{1} << (bits - 1)) return std::nullopt;
    return (u64{0} - value) & lowBits(bits);
  }
  if (value > lowBits(isSigned && !hex ? bits - 1 : bits)) return std::nullopt;
  return value;
}

}  // namespace tessera::kernel
