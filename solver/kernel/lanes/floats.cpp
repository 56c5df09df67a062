// Floating-point arithmetic: PTX ISA 9.0, 9.7.3 to 9.7.5.
#include <fmt/format.h>

#include <cfenv>

#include "solver/kernel/lanes/floating.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

namespace {

struct FloatMode {
  Rounding rounding = Rounding::Nearest;
  bool ftz = false, sat = false, relu = false;
};
FloatMode floatModeOf(const ptx::Opcode& o) { return {roundingOf(o), o.has("ftz"), o.has("sat"), o.has("relu")}; }

enum class Do : unsigned char { Add, Sub, Mul, Fma, Div, Rcp, Sqrt };

int environmentOf(Rounding r) {
  return r == Rounding::Zero   ? FE_TOWARDZERO
         : r == Rounding::Down ? FE_DOWNWARD
         : r == Rounding::Up   ? FE_UPWARD
                               : FE_TONEAREST;
}

template <class T>
T plain(Do what, T a, T b, T c) {
  switch (what) {
    case Do::Add:
      return a + b;
    case Do::Sub:
      return a - b;
    case Do::Mul:
      return a * b;
    case Do::Fma:
      return std::fma(a, b, c);
    case Do::Div:
      return a / b;
    case Do::Rcp:
      return T{1} / a;
    default:
      return std::sqrt(a);
  }
}
// In another rounding of the processor. The volatile copies keep the operation between the two changes.
template <class T>
T directed(Do what, T a, T b, T c, Rounding rounding) {
  volatile T x = a, y = b, z = c;
  std::fesetround(environmentOf(rounding));
  volatile T out = plain<T>(what, x, y, z);
  std::fesetround(FE_TONEAREST);
  return out;
}

template <class T, class U>
struct Real {
  static T of(u64 bits, bool ftz) {
    const T x = std::bit_cast<T>(static_cast<U>(bits));
    return ftz && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(T{0}, x) : x;
  }
  static u64 bits(T x, const FloatMode& m) {
    if (std::isnan(x)) return m.sat ? 0 : sizeof(T) == 4 ? 0x7fffffffu : 0x7fffffffffffffffu;
    if (m.ftz && std::fpclassify(x) == FP_SUBNORMAL) x = std::copysign(T{0}, x);
    if (m.sat) x = x > T{0} ? std::min(x, T{1}) : T{0};
    if (m.relu && !(x > 0)) x = 0;
    return std::bit_cast<U>(x);
  }
};
using F32 = Real<float, std::uint32_t>;
using F64 = Real<double, u64>;

// ---- f32 without modifiers, for the warp at once

using Floats = std::array<float, kLanes>;

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void fusedByHardware(const float* __restrict x, const float* __restrict y,
                                                         const float* __restrict z, float* __restrict out) {
  for (std::size_t l = 0; l < kLanes; ++l) out[l] = __builtin_fmaf(x[l], y[l], z[l]);
}
bool haveFma() {
  static const bool have = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return have;
}
#else
void fusedByHardware(const float*, const float*, const float*, float*) {}
bool haveFma() { return false; }
#endif

template <Do what>
void plainF32(const LaneArguments& a) {
  constexpr bool kTernary = what == Do::Fma;
  const Lanes &in0 = *a.in[0], &in1 = *a.in[1], &in2 = *a.in[kTernary ? 2 : 0];
  const auto floats = [](const Lanes& from) {
    Floats out;
    for (std::size_t l = 0; l < kLanes; ++l) out[l] = std::bit_cast<float>(static_cast<std::uint32_t>(from[l]));
    return out;
  };
  const Floats x = floats(in0), y = floats(in1);
  Floats r;
  if constexpr (kTernary) {
    const Floats z = floats(in2);
    if (haveFma())
      fusedByHardware(x.data(), y.data(), z.data(), r.data());
    else
      for (std::size_t l = 0; l < kLanes; ++l) r[l] = std::fma(x[l], y[l], z[l]);
  } else {
    for (std::size_t l = 0; l < kLanes; ++l) r[l] = plain<float>(what, x[l], y[l], 0);
  }
  Lanes& out = *a.out[0];
  for (std::size_t l = 0; l < kLanes; ++l) out[l] = r[l] != r[l] ? 0x7fffffffu : std::bit_cast<std::uint32_t>(r[l]);
}

template <Do what>
Operation madePlainF32() {
  Operation op;
  op.sources.assign(what == Do::Fma ? 3 : 2, Type::F32);
  op.inPlace = true;
  op.run = plainF32<what>;
  return op;
}

template <class R, class T>
Operation arithmetic(Do what, int count, Type t, const FloatMode& m) {
  if (m.rounding == Rounding::Nearest)
    return eachLaneOf(count, t, [=](u64 a, u64 b, u64 c) {
      return R::bits(plain<T>(what, R::of(a, m.ftz), R::of(b, m.ftz), R::of(c, m.ftz)), m);
    });
  return eachLaneOf(count, t, [=](u64 a, u64 b, u64 c) {
    return R::bits(directed<T>(what, R::of(a, m.ftz), R::of(b, m.ftz), R::of(c, m.ftz), m.rounding), m);
  });
}

// f16 and bf16: in double, where products are exact and sums are rounded to odd, then once to the format.
u64 halfOf(Do what, u64 a, u64 b, u64 c, Type t, const FloatMode& m) {
  const FloatFormat f = formatOf(t);
  const auto value = [&](u64 bits) {
    const double x = unpack(bits & 0xffff, f);
    return m.ftz && (bits & 0x7c00) == 0 && t == Type::F16 ? std::copysign(0.0, x) : x;
  };
  const double x = value(a), y = value(b);
  double r = 0;
  switch (what) {
    case Do::Add:
      r = sumToOdd(x, y);
      break;
    case Do::Sub:
      r = sumToOdd(x, -y);
      break;
    case Do::Mul:
      r = x * y;
      break;
    case Do::Fma:
      r = sumToOdd(x * y, value(c));
      break;
    default:
      r = plain<double>(what, x, y, 0);
      break;
  }
  if (std::isnan(r)) return m.sat ? 0 : 0x7fff;
  if (m.sat) r = r > 0 ? std::min(r, 1.0) : 0.0;
  if (m.relu && !(r > 0)) r = 0;
  u64 out = pack(r, f, m.rounding);
  if (m.ftz && t == Type::F16 && (out & 0x7c00) == 0) out &= 0x8000;
  return out;
}

bool isPair(Type t) { return t == Type::F16x2 || t == Type::BF16x2; }
Type elementOf(Type t) { return t == Type::F16x2 ? Type::F16 : t == Type::BF16x2 ? Type::BF16 : t; }

// `f(a, b, c)` of each half of a pair, or of the only one.
template <class F>
Operation halves(int count, Type t, F f) {
  if (!isPair(t)) return eachLaneOf(count, t, f);
  return eachLaneOf(count, Type::B32, [f](u64 a, u64 b, u64 c) {
    return (f(a & 0xffff, b & 0xffff, c & 0xffff) & 0xffff) |
           (f(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff) & 0xffff) << 16;
  });
}

Operation make(Do what, int count, Type t, const FloatMode& m) {
  if (t == Type::F32 && m.rounding == Rounding::Nearest && !m.ftz && !m.sat && !m.relu) {
    if (what == Do::Add) return madePlainF32<Do::Add>();
    if (what == Do::Sub) return madePlainF32<Do::Sub>();
    if (what == Do::Mul) return madePlainF32<Do::Mul>();
    if (what == Do::Fma) return madePlainF32<Do::Fma>();
  }
  if (t == Type::F32) return arithmetic<F32, float>(what, count, t, m);
  if (t == Type::F64) return arithmetic<F64, double>(what, count, t, m);
  if (t == Type::F32x2)
    return eachLaneOf(count, Type::B64, [=](u64 a, u64 b, u64 c) {
      const auto one = [&](int s) {
        return F32::bits(
            directed<float>(what, F32::of(a >> s & 0xffffffffu, m.ftz), F32::of(b >> s & 0xffffffffu, m.ftz),
                            F32::of(c >> s & 0xffffffffu, m.ftz), m.rounding),
            m);
      };
      return one(0) | one(32) << 32;
    });
  const Type e = elementOf(t);
  return halves(count, t, [=](u64 a, u64 b, u64 c) { return halfOf(what, a, b, c, e, m); });
}

Operation floatExtremum(const ptx::Opcode& o, Type t, bool least) {
  const Type e = elementOf(t);
  const bool nan = o.has("NaN"), ftz = o.has("ftz"), sign = o.has("xorsign");
  const u64 signBit = u64{1} << (ptx::bitsOf(e) - 1);
  const FloatFormat f = formatOf(e);
  const auto two = [=](u64 a, u64 b) -> u64 {
    const u64 s = (a ^ b) & signBit;
    if (sign) {
      a &= ~signBit;
      b &= ~signBit;
    }
    const double x = toDouble(a, e, ftz), y = toDouble(b, e, ftz);
    u64 out = 0;
    if (std::isnan(x) && std::isnan(y)) return canonicalNan(f);
    if (std::isnan(x) || std::isnan(y)) {
      if (nan) return canonicalNan(f);
      out = std::isnan(x) ? b : a;
    } else if (x == y) {  // -0 is less than +0
      out = least ? a | (b & signBit) : ((a & signBit) != 0 ? b : a);
    } else {
      out = (x < y) == least ? a : b;
    }
    if (ftz && e == Type::F32 && (out & 0x7f800000u) == 0) out &= signBit;
    return sign ? (out & ~signBit) | s : out;
  };
  return halves(2, t, [=](u64 a, u64 b, u64) { return two(a, b); });
}

// Functions of one operand that the hardware approximates: the nearest number to the exact value.
template <class F>
Operation approximate(Type t, bool ftz, F f, std::string bound) {
  const Type e = elementOf(t);
  Operation op = halves(1, t, [=](u64 a, u64, u64) {
    const double x = toDouble(a, e, ftz), y = f(x);
    u64 out = fromDouble(y, e);
    if (ftz && e == Type::F32 && (out & 0x7f800000u) == 0) out &= 0x80000000u;
    return out;
  });
  op.bound = std::move(bound);
  return op;
}

Found function(const ptx::Opcode& o, Type t) {
  const std::string_view base = o.base();
  const bool ftz = o.has("ftz"), approx = o.has("approx");
  const auto bound = [&](const char* text) { return fmt::format("{} (PTX ISA, {})", text, base); };
  if (base == "ex2")
    return approximate(
        t, ftz, [](double x) { return std::exp2(x); }, bound("2 ulp, in full range"));
  if (base == "lg2")
    return approximate(
        t, ftz, [](double x) { return std::log2(x); }, bound("2^-22 absolute or relative"));
  if (base == "sin")
    return approximate(
        t, ftz, [](double x) { return std::sin(x); }, bound("2^-20.5 absolute in [-pi, pi]"));
  if (base == "cos")
    return approximate(
        t, ftz, [](double x) { return std::cos(x); }, bound("2^-20.5 absolute in [-pi, pi]"));
  if (base == "tanh")
    return approximate(
        t, ftz, [](double x) { return std::tanh(x); }, bound("2^-11 relative"));
  if (base == "rsqrt")
    return approximate(
        t, ftz, [](double x) { return 1 / std::sqrt(x); }, bound("2^-22.9 relative"));
  if (base == "rcp" && approx)
    return approximate(
        t, ftz, [](double x) { return 1 / x; }, bound("1 ulp"));
  if (base == "sqrt" && approx)
    return approximate(
        t, ftz, [](double x) { return std::sqrt(x); }, bound("2^-23 relative"));
  return std::nullopt;
}

}  // namespace

Found floatOperation(const ptx::Opcode& o) {
  const std::string_view base = o.base();
  const Type t = o.type();
  if (!isFloat(t)) return std::nullopt;
  const FloatMode m = floatModeOf(o);
  if (Found found = function(o, t)) return found;
  if (base == "add") return make(Do::Add, 2, t, m);
  if (base == "sub") return make(Do::Sub, 2, t, m);
  if (base == "mul") return make(Do::Mul, 2, t, m);
  if (base == "fma" || base == "mad") return make(Do::Fma, 3, t, m);
  if (base == "div") {
    Operation op = make(Do::Div, 2, t, m);
    if (o.has("approx") || o.has("full")) op.bound = "2 ulp (PTX ISA, div)";
    return op;
  }
  if (base == "rcp") return make(Do::Rcp, 1, t, m);
  if (base == "sqrt") return make(Do::Sqrt, 1, t, m);
  if (base == "min" || base == "max") return floatExtremum(o, t, base == "min");
  const u64 sign = t == Type::F32x2 ? 0x8000000080000000u : isPair(t) ? 0x80008000u : u64{1} << (ptx::bitsOf(t) - 1);
  const bool flush = m.ftz && t == Type::F32;
  const auto flushed = [flush](u64 x) { return flush && (x & 0x7f800000u) == 0 ? x & 0x80000000u : x; };
  if (base == "neg")
    return eachLaneOf(1, isPair(t) ? Type::B32 : t, [=](u64 a, u64, u64) { return flushed(a) ^ sign; });
  if (base == "abs")
    return eachLaneOf(1, isPair(t) ? Type::B32 : t, [=](u64 a, u64, u64) { return flushed(a) & ~sign; });
  if (base == "copysign") return eachLaneOf(2, t, [=](u64 a, u64 b, u64) { return (a & sign) | (b & ~sign); });
  return std::nullopt;
}

}  // namespace tessera::kernel
