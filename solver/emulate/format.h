// Element types of Graphene's tensors: how wide they are, and which numbers they hold.
//
//     fp16   16 bits, 11 of precision: 2049 becomes 2048 (to nearest, ties to even), 65520 infinity
//     tf32   32 bits in memory, 11 of precision, fp32's range; ties go away from zero (cvt.rna.tf32.f32): 2049 becomes 2050
//     i32    32 bits, truncated towards zero and kept in range
//
// Law: rounded(rounded(x)) == rounded(x).
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
[[nodiscard]] double rounded(double value, const NumberFormat& type);

}  // namespace tessera::graphene
