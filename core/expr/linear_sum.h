// A sum taken apart: coefficient * part for each part, and a constant. What the simplifier's rows about sums match on.
//
//     d0 * 8 + d1 + (d0 + 3) * 2      ->  {d0: 10, d1: 1}, 6
//
// Law: built(*linear(e)) has e's value wherever e has one.
#pragma once

#include <optional>
#include <vector>

#include "core/expr/expr.h"

namespace tessera {

struct Term {
  Expr part;  // not a sum, not a constant, not a multiple by a constant
  i64 coefficient = 1;
};

struct Linear {
  std::vector<Term> terms;
  i64 constant = 0;
};

// False when the coefficient leaves 64 bits.
[[nodiscard]] bool addTerm(Linear& to, const Expr& part, i64 coefficient);
// nullopt when a coefficient leaves 64 bits.
[[nodiscard]] std::optional<Linear> linear(const Expr& e);
// The parts in structural order, a negative one first only when all are, the constant last.
[[nodiscard]] Expr built(Linear l);

}  // namespace tessera
