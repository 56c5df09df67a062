#include "solver/emulate/format.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/atlas/cutlass.h"

namespace tessera::graphene {
namespace {

struct Row {
  std::string_view names;  // separated by blanks
  NumberFormat type;
};
constexpr Row kTypes[] = {
    {"fp64 f64 double", {64, 53, -1022, 1023}},
    {"fp32 f32 float", {32, 24, -126, 127}},
    {"tf32", {32, 11, -126, 127, false, 0, true, true}},
    {"fp16 f16 half", {16, 11, -14, 15}},
    {"bf16", {16, 8, -126, 127}},
    {"e4m3 fp8 f8e4m3 fp8e4m3", {8, 4, -6, 8, true, 448}},
    {"e5m2 f8e5m2 fp8e5m2", {8, 3, -14, 15, true, 57344}},
    {"i8 s8 int8", {8, 0, 0, 0}},
    {"i16 s16 int16", {16, 0, 0, 0}},
    {"i32 s32 int32 int", {32, 0, 0, 0}},
    {"i64 s64 int64", {64, 0, 0, 0}},
    {"u8 uint8", {8, 0, 0, 0, false, 0, false}},
    {"u16 uint16", {16, 0, 0, 0, false, 0, false}},
    {"u32 uint32", {32, 0, 0, 0, false, 0, false}},
};

bool lists(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t blank = names.find(' ');
    if (names.substr(0, blank) == name) return true;
    if (blank == std::string_view::npos) return false;
    names.remove_prefix(blank + 1);
  }
  return false;
}

double integer(double value, const NumberFormat& type) {
  if (std::isnan(value)) return 0;
  return std::fmin(std::fmax(std::trunc(value), leastOf(type)), mostOf(type));
}

}  // namespace

Result<NumberFormat> numberFormat(std::string_view name) {
  for (const Row& row : kTypes)
    if (lists(row.names, name)) return row.type;
  if (const auto known = tessera::elementType(name); known && known->name != name) return numberFormat(known->name);
  return Diag{fmt::format("the element type '{}' is unknown", name),
              "fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 or an integer, i8 to i64, u8 to u32"};
}

double mostOf(const NumberFormat& type) {
  if (type.precision > 0)
    return type.largest != 0 ? type.largest : (2.0 - powerOfTwo(1 - type.precision)) * powerOfTwo(type.mostExponent);
  const double top = std::ldexp(1.0, type.bits - (type.isSigned ? 1 : 0));
  return type.bits < 64 ? top - 1 : std::nextafter(top, 0.0);
}

double leastOf(const NumberFormat& type) {
  if (type.precision > 0) return -mostOf(type);
  return type.isSigned ? -std::ldexp(1.0, type.bits - 1) : 0;
}

bool losesIntegers(const NumberFormat& from, const NumberFormat& to) {
  if (from.precision > 0) return to.precision == 0;
  if (leastOf(from) < leastOf(to) || mostOf(from) > mostOf(to)) return true;
  return to.precision > 0 && std::ldexp(1.0, to.precision) < std::fmax(-leastOf(from), mostOf(from));
}

bool holdsAll(const NumberFormat& from, const NumberFormat& to) {
  if (from == to) return true;
  if (from.precision == 0) return !losesIntegers(from, to);
  return from.precision <= to.precision && from.mostExponent <= to.mostExponent && mostOf(from) <= mostOf(to) &&
         from.leastExponent - from.precision >= to.leastExponent - to.precision;
}

double wrapped(double value, const NumberFormat& type) {
  if (type.bits >= 64) return integer(value, type);
  if (!std::isfinite(value)) return 0;
  const double all = std::ldexp(1.0, type.bits), whole = std::trunc(value);
  double out = whole - std::floor(whole / all) * all;
  if (out < 0 || out >= all) out = std::fmod(std::fmod(whole, all) + all, all);  // large quotients are rounded
  return out > mostOf(type) ? out - all : out;
}

double rounded(double value, const NumberFormat& type) {
  if (type.precision == 0) return integer(value, type);
  if (type.precision == 53 || value == 0 || !std::isfinite(value)) return value;
  if (type.precision == 24 && type.mostExponent == 127) return static_cast<double>(static_cast<float>(value));
  const bool inRange = binaryExponent(value) >= type.leastExponent && binaryExponent(value) < type.mostExponent;
  if (inRange && std::bit_cast<u64>(value) << (11 + type.precision) == 0) return value;
  // The spacing is 2^(exponent + 1 - precision), but at least that of the subnormal numbers.
  const int exponent = std::max(binaryExponent(value), type.leastExponent) + 1 - type.precision;
  const bool normal = exponent >= -1022 && exponent <= 1022;  // both powers are
  const double step = normal ? powerOfTwo(exponent) : std::ldexp(1.0, exponent);
  const double steps = normal ? value * powerOfTwo(-exponent) : value / step;
  // Adding 2^52 rounds to nearest, ties to even.
  const double whole = type.tiesAway ? std::round(steps) : (std::fabs(steps) + 0x1p52) - 0x1p52;
  const double nearest = std::copysign(whole * step, value);
  const double largest = mostOf(type);
  if (std::fabs(nearest) <= largest) return nearest;
  return std::copysign(type.saturates ? largest : std::numeric_limits<double>::infinity(), value);
}

double converted(double value, const NumberFormat& from, const NumberFormat& to) {
  if (to.precision > 0 || !std::isnan(value))
    return from.precision + to.precision == 0 ? wrapped(value, to) : rounded(value, to);
  if (from.bits < 64 && to.bits < 64) return 0;
  return to.isSigned ? leastOf(to) : std::ldexp(1.0, to.bits - 1);
}

}  // namespace tessera::graphene
