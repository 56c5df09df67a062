// cvt and cvt.pack: PTX ISA 9.0, 9.7.9.21, 9.7.9.22.
#include <algorithm>
#include <limits>

#include "solver/kernel/lanes/floating.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

namespace {

using s128 = i128;

struct Range {
  s128 least = 0, most = 0;
};
Range rangeOf(Type t) {
  const int bits = ptx::bitsOf(t);
  if (isSigned(t)) return {-(s128{1} << (bits - 1)), (s128{1} << (bits - 1)) - 1};
  return {0, (s128{1} << bits) - 1};
}

bool isAlternate(Type t) {
  switch (t) {
    case Type::E4M3x2:
    case Type::E5M2x2:
    case Type::E2M3x2:
    case Type::E3M2x2:
    case Type::E2M1x2:
    case Type::UE8M0x2:
      return true;
    default:
      return false;
  }
}

double integral(double x, Rounding r) {
  switch (r) {
    case Rounding::Zero:
      return std::trunc(x);
    case Rounding::Down:
      return std::floor(x);
    case Rounding::Up:
      return std::ceil(x);
    case Rounding::Away:
      return std::round(x);
    default:
      return std::nearbyint(x);
  }
}

Operation floatToInteger(const ptx::Opcode& o, Type from, Type to) {
  const Rounding rounding = roundingOf(o);
  const bool ftz = o.has("ftz");
  const Range range = rangeOf(to);
  const int bits = ptx::bitsOf(to);
  const u64 keep = maskOf(bits);
  const u64 nan = from == Type::F64 || bits == 64 ? u64{1} << (bits - 1) : 0;
  return eachLaneOf(1, from, [=](u64 a, u64, u64) {
    const double x = toDouble(a, from, ftz);
    if (std::isnan(x)) return nan;
    const double r = integral(x, rounding);
    if (r <= static_cast<double>(range.least)) return static_cast<u64>(range.least) & keep;
    if (r >= static_cast<double>(range.most)) return static_cast<u64>(range.most) & keep;
    return static_cast<u64>(static_cast<s128>(r)) & keep;
  });
}

Operation integerToFloat(const ptx::Opcode& o, Type from, Type to) {
  const Rounding rounding = roundingOf(o);
  const int bits = ptx::bitsOf(from);
  const bool sign = isSigned(from);
  const FloatFormat f = formatOf(to);
  return eachLaneOf(1, from, [=](u64 a, u64, u64) {
    const bool negative = sign && signedOf(a, bits) < 0;
    const u64 m = negative ? 0 - static_cast<u64>(signedOf(a, bits)) : a & maskOf(bits);
    return pack(negative, m, 0, false, f, rounding);
  });
}

Operation integerToInteger(const ptx::Opcode& o, Type from, Type to) {
  const int bits = ptx::bitsOf(from);
  const u64 keep = maskOf(ptx::bitsOf(to));
  const bool sign = isSigned(from);
  if (o.has("sat")) {
    const Range range = rangeOf(to);
    return eachLaneOf(1, from, [=](u64 a, u64, u64) {
      const s128 x = sign ? s128{signedOf(a, bits)} : static_cast<s128>(a & maskOf(bits));
      return static_cast<u64>(std::clamp(x, range.least, range.most)) & keep;
    });
  }
  if (sign) return eachLaneOf(1, from, [=](u64 a, u64, u64) { return static_cast<u64>(signedOf(a, bits)) & keep; });
  return eachLaneOf(1, from, [=](u64 a, u64, u64) { return a & maskOf(bits) & keep; });
}

struct CvtMode {
  Rounding rounding = Rounding::Nearest;
  bool ftz = false, sat = false, finite = false, relu = false;
};

u64 oneFloat(double x, Type to, const CvtMode& m, bool toIntegral) {
  if (std::isnan(x)) return m.sat ? 0 : canonicalNan(formatOf(to));
  if (toIntegral) x = integral(x, m.rounding);
  if (m.sat) x = x > 0 ? std::min(x, 1.0) : 0.0;
  if (m.relu && !(x > 0)) x = 0;
  u64 out = pack(x, formatOf(to), toIntegral ? Rounding::Nearest : m.rounding, m.finite);
  if (m.ftz && to == Type::F32 && (out & 0x7f800000u) == 0) out &= 0x80000000u;
  return out;
}

Operation floatToFloat(const ptx::Opcode& o, Type from, Type to) {
  const CvtMode m{roundingOf(o), o.has("ftz"), o.has("sat"), o.has("satfinite"), o.has("relu")};
  const bool toIntegral = o.has("rni") || o.has("rzi") || o.has("rmi") || o.has("rpi");
  return eachLaneOf(1, from, [=](u64 a, u64, u64) { return oneFloat(toDouble(a, from, m.ftz), to, m, toIntegral); });
}

int widthOf(Type alternate) {
  const FloatFormat f = formatOf(alternate);
  return 1 + f.exponent + f.mantissa;
}
// The place of element k of a packed pair: bytes, or the two halves of a byte for e2m1.
int shiftOf(Type alternate, int k) { return alternate == Type::E2M1x2 ? 4 * k : 8 * k; }

// ue8m0: a power of two, 2^(x - 127); 255 is NaN.
double scaleOf(u64 x) { return x == 255 ? std::nan("") : std::ldexp(1.0, static_cast<int>(x) - 127); }
u64 toScale(double x, Rounding r) {
  if (std::isnan(x)) return 255;
  x = std::abs(x);
  if (x == 0) return 0;
  int e = 0;
  const double m = std::frexp(x, &e);  // x = m * 2^e, m in [0.5, 1)
  const bool up = r == Rounding::Up && m != 0.5;
  return static_cast<u64>(std::clamp(e - 1 + 127 + (up ? 1 : 0), 0, 254));
}

u64 alternateOf(double x, Type to, const CvtMode& m) {
  if (to == Type::UE8M0x2) return toScale(x, m.rounding);
  if (m.relu && x <= 0) x = 0;
  return pack(x, formatOf(to), m.rounding, true);
}

// Pairs: the first source goes to the upper half.
Found packed(const ptx::Opcode& o, Type from, Type to) {
  const CvtMode m{roundingOf(o), o.has("ftz"), o.has("sat"), o.has("satfinite"), o.has("relu")};
  if (from == Type::F32 && (to == Type::F16x2 || to == Type::BF16x2)) {
    const Type half = to == Type::F16x2 ? Type::F16 : Type::BF16;
    return eachLaneOf(2, from, [=](u64 a, u64 b, u64) {
      return oneFloat(toDouble(a, from, m.ftz), half, m, false) << 16 |
             oneFloat(toDouble(b, from, m.ftz), half, m, false);
    });
  }
  if (from == Type::F32 && isAlternate(to))
    return eachLaneOf(2, from, [=](u64 a, u64 b, u64) {
      return alternateOf(toDouble(a, from, false), to, m) << shiftOf(to, 1) |
             alternateOf(toDouble(b, from, false), to, m);
    });
  if ((from == Type::F16x2 || from == Type::BF16x2) && isAlternate(to)) {
    const FloatFormat f = formatOf(from);
    return eachLaneOf(1, Type::B32, [=](u64 a, u64, u64) {
      return alternateOf(unpack(a >> 16 & 0xffff, f), to, m) << shiftOf(to, 1) |
             alternateOf(unpack(a & 0xffff, f), to, m);
    });
  }
  if (isAlternate(from) && (to == Type::F16x2 || to == Type::BF16x2)) {
    const FloatFormat f = formatOf(from), g = formatOf(to);
    return eachLaneOf(1, Type::B16, [=](u64 a, u64, u64) {
      const auto one = [&](int k) {
        const u64 bits = a >> shiftOf(from, k);
        const double x = from == Type::UE8M0x2 ? scaleOf(bits & 0xff) : unpack(bits & maskOf(widthOf(from)), f);
        return pack(m.relu && x <= 0 ? 0.0 : x, g);
      };
      return one(1) << 16 | one(0);
    });
  }
  return std::nullopt;
}

// cvt.pack.sat.to.from{.b32} d, a, b {, c}: clamped; c shifts up.
Operation packIntegers(const ptx::Opcode& o) {
  const auto types = o.types();
  const Type to = types.empty() ? Type::S16 : types[0];
  const int bits = ptx::bitsOf(to);
  const bool shifts = bits < 16;
  const Range range = rangeOf(to);
  Operation op = eachLaneOf(shifts ? 3 : 2, Type::S32, [=](u64 a, u64 b, u64 c) {
    const auto clamped = [&](u64 x) {
      return static_cast<u64>(std::clamp<s128>(signedOf(x, 32), range.least, range.most)) & maskOf(bits);
    };
    return ((shifts ? c << 2 * bits : 0) | clamped(a) << bits | clamped(b)) & 0xffffffffu;
  });
  return op;
}

}  // namespace

Found conversion(const ptx::Opcode& o) {
  if (o.base() != "cvt") return std::nullopt;
  if (o.has("pack")) return packIntegers(o);
  const Type from = o.type(0), to = o.type(1);
  if (from == Type::None || to == Type::None) return Result<Operation>(Diag{"cvt needs two types: " + o.text});
  if (Found found = packed(o, from, to)) return found;
  const auto real = [](Type t) { return isFloat(t) || t == Type::TF32; };
  const auto scalar = [&](Type t) {
    return ptx::bitsOf(t) <= 64 && !isAlternate(t) && t != Type::F16x2 && t != Type::BF16x2;
  };
  if (!scalar(from) || !scalar(to)) return Result<Operation>(Diag{"the instruction " + o.text + " is not supported"});
  if (real(from) && real(to)) return floatToFloat(o, from, to);
  if (real(from)) return floatToInteger(o, from, to);
  if (real(to)) return integerToFloat(o, from, to);
  return integerToInteger(o, from, to);
}

}  // namespace tessera::kernel
