// Element types of Graphene's tensors: how wide they are, and which numbers they hold.
//
//     fp16   16 bits, 11 of precision: 2049 becomes 2048 (to nearest, ties to even), 65520 infinity
//     tf32   32 bits in memory, 11 of precision, fp32's range; ties go away from zero (cvt.rna.tf32.f32): 2049 becomes 2050
//     i32    a floating value is truncated towards zero and kept in range, NaN becomes 0 (cvt.rzi.s32.f32)
//            sums, differences, products and wider integers wrap: 2147483647 + 1 becomes -2147483648 (two's complement)
//
// Law: rounded(rounded(x)) == rounded(x), wrapped(wrapped(x)) == wrapped(x); both are x where the type holds x.
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace tessera::graphene {

struct NumberFormat {
  int bits = 32;
  int precision = 24;  // significant bits of a floating type, the hidden one included; 0: integer
  int leastExponent = -126, mostExponent = 127;  // of normal numbers
  bool saturates = false;                        // fp8: beyond the range is the largest number (cvt.satfinite)
  double largest = 0;                            // what saturating types end at
  bool isSigned = true;                          // of integers
  bool tiesAway = false;  // a value in the middle of two goes away from zero, not to the even one
  bool operator==(const NumberFormat&) const = default;
};

// fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 i8 i16 i32 i64 u8 u16 u32, and f16, half, float, int32 ... A Diag for other names.
[[nodiscard]] Result<NumberFormat> numberFormat(std::string_view name);
// The nearest number of the type: a conversion from a floating type.
[[nodiscard]] double rounded(double value, const NumberFormat& type);
// An integer modulo 2^bits: a conversion from an integer, and what integer arithmetic leaves. A quotient is truncated first.
// Requires: an integer type. Of 64 bits, which a double does not hold, it is rounded().
[[nodiscard]] double wrapped(double value, const NumberFormat& type);
// A conversion: wrapped() between integer types, otherwise rounded(). NaN becomes 0 in an integer type, or as PTX's cvt has it
// from fp64 and to 64 bits, 2^(bits - 1): the least number of a signed type.
[[nodiscard]] double converted(double value, const NumberFormat& from, const NumberFormat& to);
// A conversion is not the identity, even where roundings of real numbers are left away: one of both is an integer type, and some
// number of `from` is not one of `to`. fp32 -> s32, s32 -> s8, s32 -> fp16, s32 -> fp32; not s8 -> fp16.
[[nodiscard]] bool losesIntegers(const NumberFormat& from, const NumberFormat& to);
// The ends of an integer type; the largest finite number of a floating one, and its negative.
[[nodiscard]] double leastOf(const NumberFormat& type);
[[nodiscard]] double mostOf(const NumberFormat& type);

}  // namespace tessera::graphene
