// assets/codegen/host_numbers.h against the emulator's rounding: every bit pattern, every midpoint, random values.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "solver/emulate/format.h"
#include "storage.h"
//
#include "host_numbers.h"

using namespace tessera;
using namespace tessera::graphene;
using namespace tessera::host_check;

namespace {

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class T>
void checkType(const char* name) {
  INFO(name);
  const NumberFormat type = *numberFormat(name);
  const int patterns = 1 << type.bits;
  std::vector<double> values;
  for (int bits = 0; bits < patterns; ++bits) {
    const T small = T::of(static_cast<decltype(T::bits)>(bits));
    const unsigned char bytes[] = {static_cast<unsigned char>(bits), static_cast<unsigned char>(bits >> 8)};
    REQUIRE(same(small.widen(), decoded(bytes, type)));
    if (std::isnan(small.widen())) continue;
    REQUIRE(T(small.widen()).bits == bits);
    if (std::isfinite(small.widen())) values.push_back(small.widen());
  }
  const auto check = [&](double v) {
    INFO(v);
    REQUIRE(same(T(v).widen(), rounded(v, type)));
  };
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double middle = values[i] / 2 + values[i + 1] / 2;
    if (values[i] == values[i + 1]) continue;  // the two zeros
    check(middle);
    check(std::nextafter(middle, 1e30));
    check(std::nextafter(middle, -1e30));
  }
  for (const double v :
       {65504.0, 65519.9, 65520.0, 1e9, -1e9, 1e300, 448.0, 463.0, 464.0, 465.0, 57344.0, 61440.0, 1e-30, -1e-30})
    check(v);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i)
    check(std::ldexp(static_cast<double>(random()) - 2147483648.0, static_cast<int>(random() % 120) - 90));
}

}  // namespace

TEST_CASE("numbers of 16 and 8 bits: bits, values, and which one is nearest") {
  checkType<half>("fp16");
  checkType<__nv_bfloat16>("bf16");
  checkType<__nv_fp8_e4m3>("e4m3");
  checkType<__nv_fp8_e5m2>("e5m2");
}

TEST_CASE("a number becomes an integer as in the emulator: toward zero, within the ends, NaN as PTX has it") {
  const NumberFormat integer = *numberFormat("s32"), wide = *numberFormat("s64"), one = *numberFormat("fp32"),
                     two = *numberFormat("fp64");
  std::vector<float> values = {0,      -0.0F,     0.5F,          -0.5F,         1.9F,           -1.9F,
                               3e9F,   -3e9F,     2147483520.0F, 2147483648.0F, -2147483648.0F, 1e30F,
                               -1e30F, HUGE_VALF, -HUGE_VALF,    std::nanf("")};
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) values.push_back(__uint_as_float(static_cast<unsigned>(random())));
  for (const float v : values) {
    INFO(v);
    REQUIRE(__float2int_rz(v) == converted(v, one, integer));
    REQUIRE(__double2int_rz(v) == converted(v, two, integer));
    if (std::isnan(v)) REQUIRE(static_cast<double>(__float2ll_rz(v)) == converted(v, one, wide));
    if (std::isnan(v)) REQUIRE(static_cast<double>(__double2ll_rz(v)) == converted(v, two, wide));
    if (std::fabs(v) < 9e18F) REQUIRE(__float2ll_rz(v) == static_cast<long long>(v));
  }
  struct Narrow {
    const char* name;
    int (*single)(float);
    int (*twice)(double);
  };
  constexpr Narrow kNarrow[] = {{"s8", tessera::to_s8_f32, tessera::to_s8_f64},
                                {"u8", tessera::to_u8_f32, tessera::to_u8_f64},
                                {"s16", tessera::to_s16_f32, tessera::to_s16_f64},
                                {"u16", tessera::to_u16_f32, tessera::to_u16_f64}};
  for (const float far : std::vector<float>(values))  // the small types end near 0
    if (std::fabs(far) < 1e30F) values.push_back(far / 65536);
  for (const float v : values) {
    INFO(v);
    for (const Narrow& n : kNarrow) {
      REQUIRE(n.single(v) == converted(v, one, *numberFormat(n.name)));
      REQUIRE(n.twice(v) == converted(v, two, *numberFormat(n.name)));
    }
    REQUIRE(__float2uint_rz(v) == converted(v, one, *numberFormat("u32")));
    REQUIRE(__double2uint_rz(v) == converted(v, two, *numberFormat("u32")));
  }
  CHECK(__float2ull_rz(-1) == 0);
  CHECK(__double2ull_rz(1e30) == std::numeric_limits<unsigned long long>::max());
  CHECK(__float2ll_rz(1e30F) == std::numeric_limits<long long>::max());
  CHECK(__double2ll_rz(-1e30) == std::numeric_limits<long long>::min());
}

TEST_CASE("arithmetic of halves rounds once") {
  // 2049 lies between 2048 and 2050: in two steps the sum below would lose its 1.
  CHECK(float(__hadd(half(2048), half(1))) == 2048);
  CHECK(float(__hfma(half(2048), half(1), half(3))) == 2052);
  CHECK(float(__hfma(half(1.0009765625), half(1.0009765625), half(-1))) == Approx(0.0019540786743).epsilon(1e-3));
  CHECK(float(half(1.0009765625) * half(1.0009765625) - half(1)) == 0.001953125f);
  CHECK(std::isinf(float(half(65520))));
  CHECK(float(__hmax(half(std::nan("")), half(3))) == 3);
  const half2 pair = __hfma2(half2{half(1), half(2)}, half2{half(3), half(4)}, __float2half2_rn(0.5f));
  CHECK(float(pair.x) == 3.5f);
  CHECK(float(pair.y) == 8.5f);
  // An fma of long double has 64 bits: none of what a double loses is in the middle of two halves.
  std::mt19937 random(2);
  for (int i = 0; i < 200000; ++i) {
    const half a = half::of(static_cast<std::uint16_t>(random())), b = half::of(static_cast<std::uint16_t>(random())),
               c = half::of(static_cast<std::uint16_t>(random()));
    const double once = __hfma(a, b, c).widen();
    const long double exact = static_cast<long double>(a.widen()) * b.widen() + c.widen();
    if (std::isnan(once) || std::isinf(once)) continue;
    const double below = half::of(static_cast<std::uint16_t>(__hfma(a, b, c).bits - 1)).widen(),
                 above = half::of(static_cast<std::uint16_t>(__hfma(a, b, c).bits + 1)).widen();
    for (const double other : {below, above})
      if (std::isfinite(other)) REQUIRE(std::fabs(exact - once) <= std::fabs(exact - other));
  }
}
