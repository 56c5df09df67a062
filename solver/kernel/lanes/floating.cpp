#include "solver/kernel/lanes/floating.h"

#include <bit>
#include <cmath>

namespace tessera::kernel {

using ptx::Type;

Rounding roundingOf(const ptx::Opcode& o) {
  for (const std::string_view p : o.parts) {
    if (p == "rz" || p == "rzi") return Rounding::Zero;
    if (p == "rm" || p == "rmi") return Rounding::Down;
    if (p == "rp" || p == "rpi") return Rounding::Up;
    if (p == "rna") return Rounding::Away;
  }
  return Rounding::Nearest;
}

FloatFormat formatOf(Type t) {
  switch (t) {
    case Type::F16:
    case Type::F16x2:
      return kF16;
    case Type::BF16:
    case Type::BF16x2:
      return kBf16;
    case Type::F64:
      return kF64;
    case Type::TF32:
      return kTf32;
    case Type::E4M3:
    case Type::E4M3x2:
    case Type::E4M3x4:
      return kE4m3;
    case Type::E5M2:
    case Type::E5M2x2:
    case Type::E5M2x4:
      return kE5m2;
    case Type::E2M3x2:
    case Type::E2M3x4:
      return kE2m3;
    case Type::E3M2x2:
    case Type::E3M2x4:
      return kE3m2;
    case Type::E2M1x2:
    case Type::E2M1x4:
      return kE2m1;
    default:
      return kF32;
  }
}

u64 canonicalNan(const FloatFormat& f) {
  if (f == kF64) return 0x7fffffffffffffffu;
  if (f == kTf32) return 0x7fffffffu;
  return (u64{1} << (f.exponent + f.mantissa)) - 1;
}

u64 pack(bool negative, u64 m, int e, bool sticky, const FloatFormat& f, Rounding rounding, bool saturate) {
  const bool tf32 = f == kTf32;
  const int width = f.exponent + f.mantissa;
  const u64 sign = negative ? u64{1} << width : 0;
  const auto placed = [&](u64 bits) { return tf32 ? bits << 13 : bits; };
  const int bias = (1 << (f.exponent - 1)) - 1;
  // The largest finite number, as bits: all ones below infinity; e4m3 gives one pattern to NaN.
  const u64 top = (u64{1} << width) - 1;
  const u64 largest = f.infinite ? (((u64{1} << f.exponent) - 1) << f.mantissa) - 1 : f.nan ? top - 1 : top;
  if (m == 0) return placed(sign);
  // Normalised: m in [2^63, 2^64).
  const int shift = std::countl_zero(m);
  m <<= shift;
  e -= shift;
  const int exponent = e + 63;  // of the leading bit
  int keep = f.mantissa + 1;
  int biased = exponent + bias;
  if (biased < 1) {  // subnormal
    keep -= 1 - biased;
    biased = 0;
  }
  u64 kept = 0, rest = 0;
  bool half = false, exactHalf = false;
  if (keep <= 0) {
    half = keep == 0;
    rest = 1;
    exactHalf = half && m == u64{1} << 63 && !sticky;
  } else {
    const int drop = 64 - keep;
    kept = m >> drop;
    rest = drop == 0 ? 0 : m & ((u64{1} << drop) - 1);
    half = drop > 0 && (rest >> (drop - 1)) != 0;
    exactHalf = half && rest == u64{1} << (drop - 1) && !sticky;
  }
  const bool inexact = rest != 0 || sticky;
  bool up = false;
  switch (rounding) {
    case Rounding::Nearest:
      up = half && (!exactHalf || (kept & 1) != 0);
      break;
    case Rounding::Away:
      up = half;
      break;
    case Rounding::Down:
      up = inexact && negative;
      break;
    case Rounding::Up:
      up = inexact && !negative;
      break;
    case Rounding::Zero:
      break;
  }
  // The exponent field grows with a carry out of the mantissa.
  u64 bits = biased == 0 ? kept : (static_cast<u64>(biased - 1) << f.mantissa) + kept;
  bits += up ? 1 : 0;
  if (biased > 4096 || bits > largest) {
    const bool toLargest = saturate || rounding == Rounding::Zero || (rounding == Rounding::Down && !negative) ||
                           (rounding == Rounding::Up && negative);
    if (toLargest || !f.nan)
      bits = largest;
    else
      bits = f.infinite ? largest + 1 : top;
  }
  return placed(sign | bits);
}

u64 pack(double value, const FloatFormat& f, Rounding rounding, bool saturate) {
  const u64 bits = std::bit_cast<u64>(value);
  const bool negative = bits >> 63 != 0;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const u64 mantissa = bits & ((u64{1} << 52) - 1);
  if (exponent == 0x7ff) {
    const int width = f.exponent + f.mantissa;
    const u64 sign = negative ? u64{1} << width : 0;
    if (mantissa != 0) return f.nan ? canonicalNan(f) : pack(0x1p300, f, rounding, true);
    if (!f.infinite || saturate) return pack(negative ? -0x1p300 : 0x1p300, f, rounding, saturate);
    const u64 infinity = sign | ((u64{1} << f.exponent) - 1) << f.mantissa;
    return f == kTf32 ? infinity << 13 : infinity;
  }
  // The processor rounds to nearest, too.
  if (f == kF32 && rounding == Rounding::Nearest && !saturate)
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (exponent == 0) return pack(negative, mantissa, -1074, false, f, rounding, saturate);
  return pack(negative, mantissa | u64{1} << 52, exponent - 1075, false, f, rounding, saturate);
}

double unpack(u64 bits, const FloatFormat& f) {
  if (f == kF64) return std::bit_cast<double>(bits);
  if (f == kTf32) return unpack(bits & 0xffffe000u, kF32);
  if (f == kF32) return double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
  if (f == kBf16) return double{std::bit_cast<float>(static_cast<std::uint32_t>(bits & 0xffff) << 16)};
  const int width = f.exponent + f.mantissa;
  const bool negative = (bits >> width & 1) != 0;
  const u64 body = bits & ((u64{1} << width) - 1), mantissa = body & ((u64{1} << f.mantissa) - 1);
  const int exponent = static_cast<int>(body >> f.mantissa), bias = (1 << (f.exponent - 1)) - 1;
  const bool last = exponent == (1 << f.exponent) - 1;
  double out = 0;
  if (f.infinite && last)
    out = mantissa != 0 ? std::nan("") : HUGE_VAL;
  else if (f.nan && !f.infinite && body == (u64{1} << width) - 1)
    out = std::nan("");
  else if (exponent == 0)
    out = std::ldexp(static_cast<double>(mantissa), 1 - bias - f.mantissa);
  else
    out = std::ldexp(static_cast<double>(mantissa | u64{1} << f.mantissa), exponent - bias - f.mantissa);
  return negative ? -out : out;
}

double toDouble(u64 bits, Type t, bool ftz) {
  if (t == Type::F64) return std::bit_cast<double>(bits);
  if (t == Type::F32) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return ftz && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, double{x}) : double{x};
  }
  return unpack(bits & 0xffff, formatOf(t));
}

u64 fromDouble(double value, Type t) {
  if (t == Type::F64) return std::isnan(value) ? canonicalNan(kF64) : std::bit_cast<u64>(value);
  return pack(value, formatOf(t));
}

double sumToOdd(double a, double b) {
  const double s = a + b;
  if (!std::isfinite(s)) return s;
  const double t = s - a, error = (a - (s - t)) + (b - t);
  const u64 bits = std::bit_cast<u64>(s);
  if (error == 0 || (bits & 1) != 0) return s;
  // Towards the error.
  const bool away = (error > 0) == (s > 0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

}  // namespace tessera::kernel
