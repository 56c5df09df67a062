// Linear sum: coefficient * part for each part, and a constant: the form that the simplifier's rows for sums match.
//
//     d0 * 8 + d1 + (d0 + 3) * 2      ->  {d0: 10, d1: 1}, 6
//
// Law: built(*linearSum(e)) has e's value wherever e is defined.
#pragma once

#include <optional>
#include <vector>

#include "core/expr/expr.h"

namespace tessera {

struct Term {
  Expr part;  // no sum, no constant; a product has no constant factor and ordered factors (expr/product.h)
  i64 coefficient = 1;
};

struct Linear {
  std::vector<Term> terms;
  i64 constant = 0;
};

// False on 64-bit overflow of the coefficient.
[[nodiscard]] bool addTerm(Linear& to, const Expr& part, i64 coefficient);
// nullopt on 64-bit overflow of a coefficient.
[[nodiscard]] std::optional<Linear> linearSum(const Expr& e);
// The parts in structural order, a negative one first only if all are, the constant last.
[[nodiscard]] Expr built(Linear l);
// Subtracts k*x from the sum; false unless each of x's terms is there at least k times, and x is reduced mod a.
[[nodiscard]] bool takeOut(Linear& from, const Linear& x, i64 k, i64 a);

// The terms of a long sum, in order; empty if e is not one. Collecting them at every `+` of a chain would take
// quadratic or cubic time.
[[nodiscard]] std::vector<Expr> longSum(const Expr& e);
// Whether there is no floordiv, mod, xor, min or max inside.
[[nodiscard]] bool plain(const Expr& root);

}  // namespace tessera
