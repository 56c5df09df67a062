// Floor arithmetic and checked 64-bit operations.
//
// C++ `/` and `%` truncate towards zero; layouts need floors: floorDiv(-7, 2) == -4, floorMod(-7, 2) == 1.
// Law: a == floorDiv(a, b) * b + floorMod(a, b), 0 <= floorMod(a, b) < b, for b > 0.
// The checked operations return nullopt exactly when the mathematical result does not fit in 64 bits.
#pragma once

#include <optional>

#include "core/base/types.h"

namespace tessera {

[[nodiscard]] constexpr i64 floorDiv(i64 a, i64 b) {
  i64 q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
[[nodiscard]] constexpr i128 wideFloorDiv(i128 a, i128 b) {
  const i128 q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
[[nodiscard]] constexpr bool fits64(i128 v) { return v >= INT64_MIN && v <= INT64_MAX; }
// In [0, |b|) for every b != 0 (XLA's convention for negative b too).
[[nodiscard]] constexpr i64 floorMod(i64 a, i64 b) {
  if (b == -1) return 0;  // INT64_MIN % -1 traps
  const i64 r = a % b;
  // In unsigned arithmetic, because |INT64_MIN| does not fit in i64.
  return r < 0 ? static_cast<i64>(static_cast<u64>(r) + (b < 0 ? u64{0} - static_cast<u64>(b) : static_cast<u64>(b)))
               : r;
}
// The finalizer of SplitMix64: each bit of the result depends on every bit of x.
[[nodiscard]] constexpr u64 splitMix(u64 x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
[[nodiscard]] constexpr i64 ceilDiv(i64 a, i64 b) { return -floorDiv(-a, b); }
[[nodiscard]] constexpr i64 roundUp(i64 a, i64 b) { return ceilDiv(a, b) * b; }

[[nodiscard]] inline std::optional<i64> checkedAdd(i64 a, i64 b) {
  i64 r = 0;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}
[[nodiscard]] inline std::optional<i64> checkedSub(i64 a, i64 b) {
  i64 r = 0;
  if (__builtin_sub_overflow(a, b, &r)) return std::nullopt;
  return r;
}
[[nodiscard]] inline std::optional<i64> checkedMul(i64 a, i64 b) {
  i64 r = 0;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}
// to += by, to *= by. On overflow they return false and leave `to` unchanged.
[[nodiscard]] inline bool addInto(i64& to, i64 by) {
  const auto sum = checkedAdd(to, by);
  to = sum.value_or(to);
  return sum.has_value();
}
[[nodiscard]] inline bool mulInto(i64& to, i64 by) {
  const auto product = checkedMul(to, by);
  to = product.value_or(to);
  return product.has_value();
}
[[nodiscard]] constexpr bool isPowerOfTwo(i64 x) { return x > 0 && (x & (x - 1)) == 0; }

}  // namespace tessera
