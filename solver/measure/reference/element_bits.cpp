#include "solver/measure/reference/element_bits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tessera::measure {
namespace {

using graphene::NumberFormat;

// Stored fraction bits of a floating type; tf32 is stored with fp32's.
int fractionBits(const NumberFormat& t) { return t.bits == 32 ? 23 : t.precision - 1; }
int exponentBits(const NumberFormat& t) { return t.bits - 1 - fractionBits(t); }
u64 mask(int bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }
// e4m3's highest exponent encodes numbers, except for one pattern.
bool noInfinity(const NumberFormat& t) { return t.mostExponent - t.leastExponent + 1 == (1 << exponentBits(t)) - 1; }

i64 clampedInteger(double value, const NumberFormat& t) {
  if (std::isnan(value)) return 0;
  const double top = std::ldexp(1.0, t.bits - 1);
  if (t.bits == 64 && value >= top) return INT64_MAX;
  return static_cast<i64>(rounded(value, t));
}

u64 encodedFloat(double value, const NumberFormat& t) {
  const int fraction = fractionBits(t);
  const u64 sign = std::signbit(value) ? u64{1} << (t.bits - 1) : 0;
  const u64 special = mask(exponentBits(t)) << fraction;
  if (std::isnan(value)) return special | (noInfinity(t) ? mask(fraction) : u64{1} << (fraction - 1));
  const double r = std::fabs(graphene::rounded(value, t));
  if (std::isinf(r)) return sign | special;
  if (r == 0) return sign;
  const int exponent = std::max(std::ilogb(r), t.leastExponent);
  // Includes the hidden bit, which carries into the exponent: 1.5 * 2^e is (e - least + 1) and the fraction.
  const u64 units = static_cast<u64>(std::llrint(std::ldexp(r, fraction - exponent)));
  const u64 hidden = u64{1} << fraction;
  if (units < hidden) return sign | units;
  return sign | ((static_cast<u64>(exponent - t.leastExponent) << fraction) + units);
}

double decodedFloat(u64 bits, const NumberFormat& t) {
  const int fraction = fractionBits(t);
  const u64 exponent = (bits >> fraction) & mask(exponentBits(t)), low = bits & mask(fraction);
  const double sign = (bits >> (t.bits - 1) & 1) != 0 ? -1.0 : 1.0;
  if (exponent == mask(exponentBits(t)) && (!noInfinity(t) || low == mask(fraction)))
    return low == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  const double units = static_cast<double>(exponent == 0 ? low : low | u64{1} << fraction);
  const int scale = static_cast<int>(exponent == 0 ? 1 : exponent) - 1 + t.leastExponent - fraction;
  return sign * std::ldexp(units, scale);
}

}  // namespace

u64 encoded(double value, const NumberFormat& type) {
  if (type.precision == 0) return static_cast<u64>(clampedInteger(value, type)) & mask(type.bits);
  return type.bits == 64 ? std::bit_cast<u64>(value) : encodedFloat(value, type);
}

double decoded(u64 bits, const NumberFormat& type) {
  bits &= mask(type.bits);
  if (type.precision != 0) return type.bits == 64 ? std::bit_cast<double>(bits) : decodedFloat(bits, type);
  if (!type.isSigned || (bits >> (type.bits - 1) & 1) == 0) return static_cast<double>(bits);
  return static_cast<double>(static_cast<i64>(bits | ~mask(type.bits)));
}

void put(unsigned char* to, u64 bits, int width) {
  for (int b = 0; b < width; b += 8) *to++ = static_cast<unsigned char>(bits >> b);
}

u64 get(const unsigned char* from, int width) {
  u64 out = 0;
  for (int b = 0; b < width; b += 8) out |= u64{*from++} << b;
  return out;
}

}  // namespace tessera::measure
