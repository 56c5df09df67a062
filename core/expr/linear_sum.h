// Linear sum: a constant plus coefficient * part for each part. The simplifier's rows for sums match this form.
//
//     d0 * 8 + d1 + (d0 + 3) * 2      ->  {d0: 10, d1: 1}, 6
//
// Product: factors in a fixed order and a constant coefficient. In any input order it is one term of a linear sum.
//
//     (x floordiv 4 * 4) * y      ->  {x floordiv 4, y}, 4
//     y * (x floordiv 4) * 4      ->  the same
//
// Laws: built(*linearSum(e)) and productOf(factors) * coefficient have e's value wherever e is defined.
#pragma once

#include <optional>
#include <vector>

#include "core/expr/expr.h"

namespace tessera {

struct Term {
  Expr part;  // no sum, no constant; a product has no constant factor and ordered factors
  i64 coefficient = 1;
};

struct Linear {
  std::vector<Term> terms;
  i64 constant = 0;

  // The term with that part; nullptr if there is none.
  [[nodiscard]] const Term* find(const Expr& part) const;
};

// False on 64-bit overflow of the coefficient.
[[nodiscard]] bool addTerm(Linear& to, const Expr& part, i64 coefficient);
// nullopt on 64-bit overflow of a coefficient.
[[nodiscard]] std::optional<Linear> linearSum(const Expr& e);
// The sum as an expression: parts in structural order, a negative one first only if all are, the constant last.
[[nodiscard]] Expr built(Linear l);

// The terms of a long sum, in order; empty if e is not a long sum. Collecting them at every `+` of a chain would take
// quadratic or cubic time.
[[nodiscard]] std::vector<Expr> longSum(const Expr& e);
// Whether no floordiv, mod, xor, min or max occurs inside.
[[nodiscard]] bool plain(const Expr& root);

struct Product {
  // No products, no constants; digits after terms built from them, parameters last: row * stride.
  std::vector<Expr> factors;
  i64 coefficient = 1;
};

// nullopt: the coefficient exceeds 64 bits, or there are more than 16 factors.
[[nodiscard]] std::optional<Product> factorsOf(const Expr& e);
// The product of the factors after sorting them; 1 if there are none.
[[nodiscard]] Expr productOf(std::vector<Expr> factors);
// The factors without those of `taken`, with multiplicity; nullopt unless all of them occur.
[[nodiscard]] std::optional<std::vector<Expr>> without(std::vector<Expr> factors, const std::vector<Expr>& taken);

}  // namespace tessera
