// The rows of expr/rules.h whose left side is a sum: digits of one number, recombined or subtracted.
//
//     x floordiv 4 * 8 + x mod 4 * 2              ->  x * 2
//     x floordiv 4 * 4 * y + x mod 4 * y          ->  x * y
//     x floordiv n * n + x mod n      (n >= 1)    ->  x
//     x * 5 - x floordiv 6 * 30                   ->  x mod 6 * 5
//
// Law: the sum keeps its value. Not here: whether intermediate values fit 64 bits; the simplifier checks that.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "core/expr/facts.h"
#include "core/expr/linear_sum.h"

namespace tessera {

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

}  // namespace tessera
