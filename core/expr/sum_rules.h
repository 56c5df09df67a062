// The rows of expr/rules.h that look at a whole sum, product or chain instead of one node.
//
// Division by a divisor that is not a constant (div-by-term, div-below-term, mod-by-term, mod-below-term):
//
//     (d0 * n + d1) floordiv n     ->  d0 + d1 floordiv n        n the size of an axis, never 0
//     (d0 + 1) mod (d0 + 1)        ->  0                         d0 in [0, 9]
//     d0 mod (d0 + d1 + 1)         ->  d0                        d1 in [0, 9] too
//
// Digits of one number in a sum, recombined or subtracted:
//
//     x floordiv 4 * 8 + x mod 4 * 2              ->  x * 2
//     x floordiv 4 * 4 * y + x mod 4 * y          ->  x * y
//     x floordiv n * n + x mod n      (n >= 1)    ->  x
//     x * 5 - x floordiv 6 * 30                   ->  x mod 6 * 5
//
// Chains of min or max:
//
//     min(min(d0 + 5, d1 + 3), d0 + 7)            ->  min(d0 + 2, d1), 3
//
// Law: the value is unchanged, for divisors of either sign; a division is rewritten only if the box excludes a divisor
// of 0. Not here: whether intermediate values fit 64 bits; the simplifier checks that.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "core/expr/facts.h"
#include "core/expr/linear_sum.h"

namespace tessera {

struct ByTerm {
  Expr value;
  std::string_view rule;  // the row's name
};

// e, a floordiv or mod of simplified operands, without the multiples of its divisor; nullopt if there are none.
[[nodiscard]] std::optional<ByTerm> byTerm(const Expr& e, FactBase& facts);

struct Merged {
  Linear sum;
  std::string_view rule;  // the row's name
};

// lhs op rhs of simplified operands, simplified: digits are matched in their simplified form.
using Simple = std::function<Expr(Op op, const Expr& lhs, const Expr& rhs)>;

// Recombines one pair of digits; nullopt if there is none.
[[nodiscard]] std::optional<Merged> mergedDigits(const Linear& l, const Simple& simple, FactBase& facts);
// Replaces x minus its quotient's part by its remainder; nullopt if there is none.
[[nodiscard]] std::optional<Merged> mergedDifference(const Linear& l, const Simple& simple);

// e == choice + common, with choice at most as large a chain as e: dominated sides are dropped, terms shared by all
// sides are in `common`, a constant side is last. e is a Min or a Max with simplified operands.
struct Extremum {
  Expr choice;
  Expr common;
};
[[nodiscard]] Extremum extremumOf(const Expr& e, FactBase& facts);

}  // namespace tessera
