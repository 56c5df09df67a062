// Division by a divisor that is not a constant: the rows div-by-term,
// div-below-term, mod-by-term and mod-below-term of expr/rules.h.
//
//     (d0 * n + d1) floordiv n     ->  d0 + d1 floordiv n        n the size of an axis, never 0
//     (d0 + 1) mod (d0 + 1)        ->  0                         d0 in [0, 9]
//     d0 mod (d0 + d1 + 1)         ->  d0                        d1 in [0, 9] too
//
// Law: the value is unchanged for divisors of either sign; applied only if the box excludes a divisor of 0.
#pragma once

#include <optional>
#include <string_view>

#include "core/expr/expr.h"
#include "core/expr/facts.h"

namespace tessera {

struct ByTerm {
  Expr value;
  std::string_view rule;  // the row's name
};

// e, a floordiv or mod of simplified operands, without the multiples of its divisor; nullopt if there are none.
[[nodiscard]] std::optional<ByTerm> byTerm(const Expr& e, FactBase& facts);

}  // namespace tessera
