// Element types of Graphene's tensors: their widths and the numbers they represent.
//
//     fp16   16 bits, 11 of precision: 2049 becomes 2048 (to nearest, ties to even), 65520 infinity
//     tf32   32 bits in memory, 11 of precision, fp32's range; ties round away from zero (cvt.rna.tf32.f32)
//            2049 becomes 2050
//     i32    a floating value is truncated towards zero and clamped, NaN becomes 0 (cvt.rzi.s32.f32)
//            sums, differences, products and wider integers wrap: 2147483647 + 1 becomes -2147483648 (two's complement)
//
// Law: rounded(rounded(x)) == rounded(x), wrapped(wrapped(x)) == wrapped(x); both return x if the type represents x.
#pragma once

#include <bit>
#include <string_view>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::graphene {

// 2^exponent. Requires: -1022 <= exponent <= 1023.
[[nodiscard]] inline double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<u64>(exponent + 1023) << 52);
}
// e with 2^e <= |x| < 2^(e + 1). Requires: x is finite and not 0. Below -1022 for all |x| < 2^-1022.
[[nodiscard]] inline int binaryExponent(double x) {
  return static_cast<int>(std::bit_cast<u64>(x) >> 52 & 0x7ff) - 1023;
}

struct NumberFormat {
  int bits = 32;
  int precision = 24;  // significant bits of a floating type, the hidden one included; 0: integer
  int leastExponent = -126, mostExponent = 127;  // of normal numbers
  bool saturates = false;                        // fp8: clamped to the largest number (cvt.satfinite)
  double largest = 0;                            // the limit of a saturating type
  bool isSigned = true;                          // for integers
  bool tiesAway = false;                         // ties round away from zero, not to even
  bool operator==(const NumberFormat&) const = default;
};

// fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 i8 i16 i32 i64 u8 u16 u32, and f16, half, float, int32 ... Returns a Diag for
// other names.
[[nodiscard]] Result<NumberFormat> numberFormat(std::string_view name);
// The nearest number of the type: conversion from a floating type.
[[nodiscard]] double rounded(double value, const NumberFormat& type);
// The integer modulo 2^bits: conversion from an integer type, and the result of integer arithmetic. A quotient is
// truncated first.
// Requires: an integer type. For 64 bits, which a double cannot hold, it is rounded().
[[nodiscard]] double wrapped(double value, const NumberFormat& type);
// A conversion: wrapped() between integer types, otherwise rounded(). NaN to an integer type becomes 0, except from
// fp64 or to 64 bits: then, as in PTX's cvt, the least number of a signed type, and 2^(bits - 1) of an unsigned one.
[[nodiscard]] double converted(double value, const NumberFormat& from, const NumberFormat& to);
// Whether a conversion is not the identity even over the real numbers: one of the types is an integer type, and some
// number of `from` is not in `to`. fp32 -> s32, s32 -> s8, s32 -> fp16, s32 -> fp32; not s8 -> fp16.
[[nodiscard]] bool losesIntegers(const NumberFormat& from, const NumberFormat& to);
// Whether every number of `from` is in `to`.
[[nodiscard]] bool holdsAll(const NumberFormat& from, const NumberFormat& to);
// The limits of an integer type; the largest finite number of a floating type, and its negative.
[[nodiscard]] double leastOf(const NumberFormat& type);
[[nodiscard]] double mostOf(const NumberFormat& type);

}  // namespace tessera::graphene
