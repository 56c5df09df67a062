// Floating formats as bits: exact unpacking to a double and correctly rounded packing.
//
//     pack(false, 2049, 0, false, kF16, Rounding::Nearest)    2049 = 0x1.002p11 -> 0x6800, 2048
//     toDouble(0x3c00, Type::F16, false)                      1.0
//
// Law: pack(unpack(x)) == x for every number x of a format; a value between two numbers goes to the one that the
// rounding names (tests/kernel/lanes_test.cpp enumerates f16, bf16, e4m3, e5m2).
//
// Source: IEEE 754; PTX ISA 9.0, 5.2.3 (alternate formats), 9.7.9.21 (cvt).
#pragma once

#include <string_view>

#include "core/ptx/module.h"

namespace tessera::kernel {

enum class Rounding : unsigned char { Nearest, Zero, Down, Up, Away };  // Away: nearest, ties away from zero
[[nodiscard]] Rounding roundingOf(const ptx::Opcode& opcode);           // Nearest if it names none

struct FloatFormat {
  int exponent = 8, mantissa = 23;
  bool infinite = true;  // false: e4m3, e2m3, e3m2, e2m1: no infinities
  bool nan = true;       // false: e2m3, e3m2, e2m1
  bool operator==(const FloatFormat&) const = default;
};
inline constexpr FloatFormat kF16{5, 10}, kBf16{8, 7}, kF32{8, 23}, kF64{11, 52}, kTf32{8, 10}, kE4m3{4, 3, false},
    kE5m2{5, 2}, kE2m3{2, 3, false, false}, kE3m2{3, 2, false, false}, kE2m1{2, 1, false, false};
[[nodiscard]] FloatFormat formatOf(ptx::Type type);  // of one element

// +-m * 2^e, plus something below m's last bit if `sticky`.
[[nodiscard]] u64 pack(bool negative, u64 m, int e, bool sticky, const FloatFormat& format, Rounding rounding,
                       bool saturate = false);
[[nodiscard]] u64 pack(double value, const FloatFormat& format, Rounding rounding = Rounding::Nearest,
                       bool saturate = false);
[[nodiscard]] double unpack(u64 bits, const FloatFormat& format);
[[nodiscard]] u64 canonicalNan(const FloatFormat& format);

[[nodiscard]] double toDouble(u64 bits, ptx::Type type, bool ftz);
[[nodiscard]] u64 fromDouble(double value, ptx::Type type);
// a + b rounded to odd: rounding it again to half the precision or less is exact.
[[nodiscard]] double sumToOdd(double a, double b);

}  // namespace tessera::kernel
