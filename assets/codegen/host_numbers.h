// 16-bit and 8-bit floating types and CUDA's arithmetic on them: computed in double, rounded once, to nearest even.
//
//     half(2049.f) is 2048      65520 is infinity      __hfma(a, b, c): one rounding
//
// A double holds sums and products of two such numbers exactly. Where a fused multiply-add does not fit, the lost part
// is so far below the result that it cannot decide a tie between two halves. Division and square root in double, then
// rounded, also equal the infinitely precise results: 53 >= 2 * 24 + 2.
//
// Functions that hardware approximates (__expf, rsqrtf, tanhf) use the double's result, rounded.
// Included by tessera_host.h.
#pragma once
#pragma GCC system_header

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tessera::host {

// A floating type as bits: sign, exponent, mantissa. Without infinities (e4m3, e5m2 as in cvt.satfinite), values beyond
// the range become the largest number, whose bits are `largest`.
template <class Bits, int exponentBits, int mantissaBits, Bits largest, bool saturates>
struct Small {
  Bits bits;

  static constexpr int kLeast = 2 - (1 << (exponentBits - 1));  // exponent of the smallest normal number
  static constexpr Bits kSign = Bits(Bits(1) << (exponentBits + mantissaBits));
  static constexpr Bits kNan = Bits(kSign - 1);

  Small() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
  Small(T value) : bits(narrow(static_cast<double>(value))) {}
  operator float() const { return static_cast<float>(widen()); }

  static Small of(Bits bits) {
    Small out;
    out.bits = bits;
    return out;
  }
  double widen() const {
    const int magnitude = bits & (kSign - 1), exponent = magnitude >> mantissaBits;
    const int mantissa = magnitude & ((1 << mantissaBits) - 1);
    double value = std::ldexp(mantissa, kLeast - mantissaBits);
    if (exponent > 0) value = std::ldexp(mantissa + (1 << mantissaBits), kLeast - mantissaBits + exponent - 1);
    if (magnitude > largest)
      value = mantissa == 0 && !saturates ? std::numeric_limits<double>::infinity() : std::nan("");
    return (bits & kSign) != 0 ? -value : value;
  }
  static Bits narrow(double value) {
    if (std::isnan(value)) return kNan;
    const Bits sign = std::signbit(value) ? kSign : Bits(0);
    if (value == 0) return sign;
    const Bits over = Bits(sign | (saturates ? largest : Bits(largest + 1)));
    if (std::isinf(value)) return over;
    // Multiples of the spacing; an overflow carries into the exponent.
    const int exponent = std::max(std::ilogb(value), kLeast);
    const double steps = std::nearbyint(std::ldexp(std::fabs(value), mantissaBits - exponent));
    if (exponent - kLeast >= (1 << exponentBits)) return over;
    const long magnitude = (static_cast<long>(exponent - kLeast) << mantissaBits) + static_cast<long>(steps);
    return magnitude > largest ? over : Bits(sign | Bits(magnitude));
  }

  friend Small operator+(Small a, Small b) { return {a.widen() + b.widen()}; }
  friend Small operator-(Small a, Small b) { return {a.widen() - b.widen()}; }
  friend Small operator*(Small a, Small b) { return {a.widen() * b.widen()}; }
  friend Small operator/(Small a, Small b) { return {a.widen() / b.widen()}; }
  friend Small operator-(Small a) { return of(Bits(a.bits ^ kSign)); }
  friend bool operator==(Small a, Small b) { return a.widen() == b.widen(); }
  friend bool operator!=(Small a, Small b) { return a.widen() != b.widen(); }
  friend bool operator<(Small a, Small b) { return a.widen() < b.widen(); }
  friend bool operator>(Small a, Small b) { return a.widen() > b.widen(); }
  friend bool operator<=(Small a, Small b) { return a.widen() <= b.widen(); }
  friend bool operator>=(Small a, Small b) { return a.widen() >= b.widen(); }
  Small& operator+=(Small b) { return *this = *this + b; }
  Small& operator-=(Small b) { return *this = *this - b; }
  Small& operator*=(Small b) { return *this = *this * b; }
  Small& operator/=(Small b) { return *this = *this / b; }
};

template <class T>
struct alignas(4) Pair {
  T x, y;
};

// Elementwise, for one number or both of a pair.
template <class T, class F>
T each(T a, F f) {
  return T(f(a.widen()));
}
template <class T, class F>
Pair<T> each(Pair<T> a, F f) {
  return {each(a.x, f), each(a.y, f)};
}
template <class T, class F>
T each(T a, T b, F f) {
  return T(f(a.widen(), b.widen()));
}
template <class T, class F>
Pair<T> each(Pair<T> a, Pair<T> b, F f) {
  return {each(a.x, b.x, f), each(a.y, b.y, f)};
}

// Reinterprets the bits of one type as another of the same size.
template <class To, class From>
To same(From from) {
  static_assert(sizeof(To) == sizeof(From), "only the type changes");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

}  // namespace tessera::host

using half = tessera::host::Small<std::uint16_t, 5, 10, 0x7bff, false>;
using __nv_bfloat16 = tessera::host::Small<std::uint16_t, 8, 7, 0x7f7f, false>;
using __nv_fp8_e4m3 = tessera::host::Small<std::uint8_t, 4, 3, 0x7e, true>;
using __nv_fp8_e5m2 = tessera::host::Small<std::uint8_t, 5, 2, 0x7b, true>;
using __half = half;
using half2 = tessera::host::Pair<half>;
using __half2 = half2;
using __nv_bfloat162 = tessera::host::Pair<__nv_bfloat16>;

// ---- vectors: a pointer to one may alias anything

#define TESSERA_VECTOR(T, NAME, BYTES)                                                   \
  struct __attribute__((aligned(2 * BYTES), may_alias)) NAME##2 {                        \
    T x, y;                                                                              \
  };                                                                                     \
  struct __attribute__((aligned(BYTES), may_alias)) NAME##3 {                            \
    T x, y, z;                                                                           \
  };                                                                                     \
  struct __attribute__((aligned(4 * BYTES <= 16 ? 4 * BYTES : 16), may_alias)) NAME##4 { \
    T x, y, z, w;                                                                        \
  };                                                                                     \
  inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                             \
  inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
TESSERA_VECTOR(signed char, char, 1)
TESSERA_VECTOR(unsigned char, uchar, 1)
TESSERA_VECTOR(short, short, 2)
TESSERA_VECTOR(unsigned short, ushort, 2)
TESSERA_VECTOR(int, int, 4)
TESSERA_VECTOR(unsigned, uint, 4)
TESSERA_VECTOR(float, float, 4)
TESSERA_VECTOR(double, double, 8)
TESSERA_VECTOR(long long, longlong, 8)
TESSERA_VECTOR(unsigned long long, ulonglong, 8)
#undef TESSERA_VECTOR

// ---- conversions

#define TESSERA_HALF_CONVERSIONS(T, T2, NAME, NAME2)                          \
  inline T __float2##NAME(float a) { return T(a); }                           \
  inline T __float2##NAME##_rn(float a) { return T(a); }                      \
  inline T __double2##NAME(double a) { return T(a); }                         \
  inline T __int2##NAME##_rn(int a) { return T(a); }                          \
  inline float __##NAME##2float(T a) { return a; }                            \
  inline T2 __floats2##NAME2##_rn(float a, float b) { return {T(a), T(b)}; }  \
  inline T2 __float2##NAME2##_rn(float a) { return {T(a), T(a)}; }            \
  inline T2 __float22##NAME2##_rn(float2 a) { return {T(a.x), T(a.y)}; }      \
  inline float2 __##NAME2##2float2(T2 a) { return {float(a.x), float(a.y)}; } \
  inline T2 __##NAME##2##NAME2(T a) { return {a, a}; }                        \
  inline T __low2##NAME(T2 a) { return a.x; }                                 \
  inline T __high2##NAME(T2 a) { return a.y; }                                \
  inline std::uint16_t __##NAME##_as_ushort(T a) { return a.bits; }           \
  inline T __ushort_as_##NAME(std::uint16_t a) { return T::of(a); }
TESSERA_HALF_CONVERSIONS(half, half2, half, half2)
TESSERA_HALF_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
#undef TESSERA_HALF_CONVERSIONS
inline half2 __halves2half2(half a, half b) { return {a, b}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline half2 make_half2(half a, half b) { return {a, b}; }

// Truncated toward zero and clamped; NaN as in PTX's cvt: 0 from 32 bits to 32, otherwise the least number.
namespace tessera::host {
template <class Integer, class Real>
Integer truncated(Real a, Integer ofNan) {
  const Integer least = std::numeric_limits<Integer>::min(), most = std::numeric_limits<Integer>::max();
  if (a != a) return ofNan;
  if (a >= std::ldexp(Real(1), std::numeric_limits<Integer>::digits)) return most;
  return a <= static_cast<Real>(least) ? least : static_cast<Integer>(a);
}
}  // namespace tessera::host
namespace tessera {
inline int to_s8_f32(float a) { return host::truncated<signed char>(a, 0); }
inline int to_s8_f64(double a) { return host::truncated<signed char>(a, -128); }
inline int to_u8_f32(float a) { return host::truncated<unsigned char>(a, 0); }
inline int to_u8_f64(double a) { return host::truncated<unsigned char>(a, 128); }
inline int to_s16_f32(float a) { return host::truncated<short>(a, 0); }
inline int to_s16_f64(double a) { return host::truncated<short>(a, -32768); }
inline int to_u16_f32(float a) { return host::truncated<unsigned short>(a, 0); }
inline int to_u16_f64(double a) { return host::truncated<unsigned short>(a, 32768); }
}  // namespace tessera
inline int __float2int_rz(float a) { return tessera::host::truncated<int>(a, 0); }
inline int __double2int_rz(double a) { return tessera::host::truncated<int>(a, std::numeric_limits<int>::min()); }
inline long long __float2ll_rz(float a) {
  return tessera::host::truncated<long long>(a, std::numeric_limits<long long>::min());
}
inline long long __double2ll_rz(double a) {
  return tessera::host::truncated<long long>(a, std::numeric_limits<long long>::min());
}
inline unsigned __float2uint_rz(float a) { return tessera::host::truncated<unsigned>(a, 0); }
inline unsigned __double2uint_rz(double a) { return tessera::host::truncated<unsigned>(a, 0x80000000U); }
inline unsigned long long __float2ull_rz(float a) {
  return tessera::host::truncated<unsigned long long>(a, 0x8000000000000000ULL);
}
inline unsigned long long __double2ull_rz(double a) {
  return tessera::host::truncated<unsigned long long>(a, 0x8000000000000000ULL);
}
inline int __float_as_int(float a) { return tessera::host::same<int>(a); }
inline unsigned __float_as_uint(float a) { return tessera::host::same<unsigned>(a); }
inline float __int_as_float(int a) { return tessera::host::same<float>(a); }
inline float __uint_as_float(unsigned a) { return tessera::host::same<float>(a); }
inline long long __double_as_longlong(double a) { return tessera::host::same<long long>(a); }
inline double __longlong_as_double(long long a) { return tessera::host::same<double>(a); }

// ---- arithmetic of halves, bfloat16 and pairs of them

#define TESSERA_HALF_UNARY(NAME, NAME2, ...)                             \
  inline half NAME(half x) {                                             \
    return tessera::host::each(x, [](double a) { return __VA_ARGS__; }); \
  }                                                                      \
  inline __nv_bfloat16 NAME(__nv_bfloat16 x) {                           \
    return tessera::host::each(x, [](double a) { return __VA_ARGS__; }); \
  }                                                                      \
  inline half2 NAME2(half2 x) {                                          \
    return tessera::host::each(x, [](double a) { return __VA_ARGS__; }); \
  }                                                                      \
  inline __nv_bfloat162 NAME2(__nv_bfloat162 x) {                        \
    return tessera::host::each(x, [](double a) { return __VA_ARGS__; }); \
  }
TESSERA_HALF_UNARY(__hneg, __hneg2, -a)
TESSERA_HALF_UNARY(__habs, __habs2, std::fabs(a))
TESSERA_HALF_UNARY(hexp, h2exp, std::exp(a))
TESSERA_HALF_UNARY(hexp2, h2exp2, std::exp2(a))
TESSERA_HALF_UNARY(hlog, h2log, std::log(a))
TESSERA_HALF_UNARY(hrcp, h2rcp, 1 / a)
TESSERA_HALF_UNARY(hsqrt, h2sqrt, std::sqrt(a))
TESSERA_HALF_UNARY(hrsqrt, h2rsqrt, 1 / std::sqrt(a))
TESSERA_HALF_UNARY(htanh, h2tanh, std::tanh(a))
#undef TESSERA_HALF_UNARY

#define TESSERA_HALF_BINARY(T, SUFFIX, DIVIDE)                                            \
  inline T __hadd##SUFFIX(T x, T y) {                                                     \
    return tessera::host::each(x, y, [](double a, double b) { return a + b; });           \
  }                                                                                       \
  inline T __hsub##SUFFIX(T x, T y) {                                                     \
    return tessera::host::each(x, y, [](double a, double b) { return a - b; });           \
  }                                                                                       \
  inline T __hmul##SUFFIX(T x, T y) {                                                     \
    return tessera::host::each(x, y, [](double a, double b) { return a * b; });           \
  }                                                                                       \
  inline T DIVIDE(T x, T y) {                                                             \
    return tessera::host::each(x, y, [](double a, double b) { return a / b; });           \
  }                                                                                       \
  inline T __hmax##SUFFIX(T x, T y) {                                                     \
    return tessera::host::each(x, y, [](double a, double b) { return std::fmax(a, b); }); \
  }                                                                                       \
  inline T __hmin##SUFFIX(T x, T y) {                                                     \
    return tessera::host::each(x, y, [](double a, double b) { return std::fmin(a, b); }); \
  }
TESSERA_HALF_BINARY(half, , __hdiv)
TESSERA_HALF_BINARY(half2, 2, __h2div)
TESSERA_HALF_BINARY(__nv_bfloat16, , __hdiv)
TESSERA_HALF_BINARY(__nv_bfloat162, 2, __h2div)
#undef TESSERA_HALF_BINARY

#define TESSERA_HALF_FMA(T)                                                                                    \
  inline T __hfma(T a, T b, T c) { return T(std::fma(a.widen(), b.widen(), c.widen())); }                      \
  inline T __hfma_relu(T a, T b, T c) { return T(std::fmax(std::fma(a.widen(), b.widen(), c.widen()), 0.0)); } \
  inline tessera::host::Pair<T> __hfma2(tessera::host::Pair<T> a, tessera::host::Pair<T> b,                    \
                                        tessera::host::Pair<T> c) {                                            \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                                     \
  }
TESSERA_HALF_FMA(half)
TESSERA_HALF_FMA(__nv_bfloat16)
#undef TESSERA_HALF_FMA

// ---- arithmetic of float, double and int by CUDA's names

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1 / a; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __expf(float a) { return static_cast<float>(std::exp(static_cast<double>(a))); }
inline float __logf(float a) { return static_cast<float>(std::log(static_cast<double>(a))); }
inline float __tanhf(float a) { return static_cast<float>(std::tanh(static_cast<double>(a))); }
inline float rsqrtf(float a) { return static_cast<float>(1 / std::sqrt(static_cast<double>(a))); }
inline float __frsqrt_rn(float a) { return rsqrtf(a); }
inline double rsqrt(double a) { return 1 / std::sqrt(a); }
// The C library's versions are off by a few units in the last place, differently in each library.
#define expf __expf
#define logf __logf
#define tanhf __tanhf

// Sums wrap.
inline int __dp4a(int a, int b, int c) {
  auto sum = static_cast<unsigned>(c);
  for (int i = 0; i < 4; ++i)
    sum += static_cast<unsigned>(static_cast<std::int8_t>(a >> 8 * i) * static_cast<std::int8_t>(b >> 8 * i));
  return static_cast<int>(sum);
}
inline int __dp2a_lo(int a, int b, int c) {
  auto sum = static_cast<unsigned>(c);
  for (int i = 0; i < 2; ++i)
    sum += static_cast<unsigned>(static_cast<std::int16_t>(a >> 16 * i) * static_cast<std::int8_t>(b >> 8 * i));
  return static_cast<int>(sum);
}
inline int __popc(unsigned a) { return __builtin_popcount(a); }

#define TESSERA_MINMAX(T)                          \
  inline T min(T a, T b) { return b < a ? b : a; } \
  inline T max(T a, T b) { return a < b ? b : a; }
TESSERA_MINMAX(int)
TESSERA_MINMAX(unsigned)
TESSERA_MINMAX(long long)
TESSERA_MINMAX(unsigned long long)
#undef TESSERA_MINMAX
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }

template <class T>
T __ldg(const T* at) {
  return *at;
}
