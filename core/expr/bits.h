// The operators of C and Python that Expr does not have, rewritten exactly over those that it has.
//
//     x & 7        x mod 8                      x & 56      (x floordiv 8) mod 8 * 8; a mask is a sum of bit fields
//     x & y        (x + y - (x xor y)) floordiv 2           x | y      (x + y + (x xor y)) floordiv 2
//     x << 3       x * 8                        x >> 3      x floordiv 8
//     2 ^ x        the product of 1 + bit k of x * (2^2^k - 1), for x in [0, 62]
//     x / y        truncated towards 0: floordiv if x cannot be negative, else
//                  max(x, 0) floordiv y - max(-x, 0) floordiv y
//     x < y        max(min(y - x, 1), 0): conditions are 0 or 1, and c ? x : y is c * x + (1 - c) * y
//
// Law: at every point of the box, the Expr has the operator's value on unbounded two's-complement integers.
// Requires, of a quotient: the divisor cannot be 0 on the box.
#pragma once

#include <optional>

#include "core/expr/expr.h"
#include "core/expr/facts.h"

namespace tessera {

inline constexpr int kMaxShift = 62;  // 2^63 does not fit in 64 bits

[[nodiscard]] Expr bitAnd(const Expr& x, const Expr& y);
[[nodiscard]] Expr bitOr(const Expr& x, const Expr& y);
[[nodiscard]] Expr bitNot(const Expr& x);
// The same; shorter if the facts say that no bit is set in both.
[[nodiscard]] Expr bitAnd(const Expr& x, const Expr& y, FactBase& facts);
[[nodiscard]] Expr bitOr(const Expr& x, const Expr& y, FactBase& facts);

// Requires 0 <= count <= kMaxShift.
[[nodiscard]] Expr shiftLeft(const Expr& x, int count);
[[nodiscard]] Expr shiftRight(const Expr& x, int count);
// 2^count. Requires count in [0, most] on the box, and most <= kMaxShift.
[[nodiscard]] Expr powerOfTwo(const Expr& count, int most);

[[nodiscard]] Expr truncatedQuotient(const Expr& x, const Expr& y, FactBase& facts);
[[nodiscard]] Expr truncatedRemainder(const Expr& x, const Expr& y, FactBase& facts);
// Rounded down, as in Python; y of either sign.
[[nodiscard]] Expr flooredRemainder(const Expr& x, const Expr& y, FactBase& facts);

// 1 if it holds, else 0. A constant if the facts decide it.
[[nodiscard]] Expr lessThan(const Expr& x, const Expr& y, FactBase& facts);
[[nodiscard]] Expr equalTo(const Expr& x, const Expr& y, FactBase& facts);
[[nodiscard]] Expr notZero(const Expr& x, FactBase& facts);
// x if the condition is 1, y if it is 0.
[[nodiscard]] Expr selected(const Expr& condition, const Expr& x, const Expr& y);

}  // namespace tessera
