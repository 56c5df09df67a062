// ShiftXor: a linear function over bits as a few shifts: y = c ^ (x & m1) << s1 ^ (x & m2) << s2 ..., one term per
// diagonal of its bit matrix. Applies a swizzle to a whole table at memory speed.
//
//     x ^ x floordiv 8 mod 8 * 8     ->   (x & ~0) ^ (x & 0x1c0) >> 3        Sw<3,3,3> on sums that carry
//
// Law: at(x) is the expression's value for every x in [0, 2^bits).
#pragma once

#include <optional>
#include <vector>

#include "core/expr/expr.h"

namespace tessera {

class ShiftXor {
 public:
  // For an expression in Digit 0 with values from 0 to top. nullopt:
  // it is not linear over bits there, or has more than four diagonals.
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
