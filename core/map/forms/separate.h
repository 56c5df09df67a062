// separated: decomposes an expression into functions of one digit each.
//
//     i*64 + j                             sum:  i*64 | j
//     Sw<3,3,3> o (128,64):(64,1)          xor:  i*64 xor (i mod 8)*8 | j        (i*64 and j share no bit: + is xor)
//     Sw<3,3,3> o (128,64):(72,1)          sum:  i*72 | j, then  x xor (x floordiv 64 mod 8)*8
//
// Law: the expression == post(constant (+) parts[0](d0) (+) parts[1](d1) ...) at every point of the box, (+) being the
// sum or the xor. Every part depends on its own digit only; 0 for a digit that does not occur.
// Why: tables, odometers and texture lookups all need this form. Tiled and swizzled layouts have it; expressions
// without it (a floordiv of two digits that carries) give nullopt.
#pragma once

#include <optional>
#include <vector>

#include "core/expr/expr.h"
#include "core/expr/facts.h"

namespace tessera {

struct Separated {
  enum class Combine : unsigned char { Sum, Xor } combine = Combine::Sum;
  i64 constant = 0;
  std::vector<i64> strides;  // the linear part of each digit (Sum only; zeros under Xor)
  std::vector<Expr> parts;   // the rest of each digit's function; constant 0 if linear
  std::optional<Expr> post;  // over Digit 0, the combined value; nullopt: the identity
};

// Tries a plain sum of strides first (without simplification, a microsecond), then the simplified expression.
[[nodiscard]] std::optional<Separated> separated(const Expr& e, const Environment& box);

// ShiftXor: a linear function over bits as a few shifts: y = c ^ (x & m1) << s1 ^ (x & m2) << s2 ..., one term per
// diagonal of its bit matrix. Applies a swizzle to a whole table at memory speed.
//
//     x ^ x floordiv 8 mod 8 * 8     ->   (x & ~0) ^ (x & 0x1c0) >> 3        Sw<3,3,3> on sums that carry
//
// Law: at(x) is the expression's value for every x in [0, 2^bits).

class ShiftXor {
 public:
  // For an expression in Digit 0 in [0, top]. nullopt: it is not linear over bits there, or has more than four
  // diagonals.
  [[nodiscard]] static std::optional<ShiftXor> of(const Expr& e, i64 top);
  [[nodiscard]] i64 at(i64 x) const;
  // to[i] = at(base + from[i]).
  void ofSums(i64* to, const i64* from, std::size_t count, i64 base) const;

 private:
  struct Term {
    u64 mask = 0;
    int left = 0, right = 0;  // at most one is nonzero
  };
  u64 constant_ = 0;
  std::vector<Term> terms_;
};

}  // namespace tessera
