// simplified: the canonical form of an expression over a box.
//
// Sums become linear: one term per distinct non-sum part, like terms merged, terms in a fixed order, the constant last.
// Everything under floordiv, mod and xor is simplified first,
// then the rows of expr/rules.h are tried until none applies.
//
//     (d0*100 + d1*10 + d2) mod 100 floordiv 10,  all in [0,9]   ->   d1
//
// Laws: evaluate(simplified(e, box), p) == evaluate(e, p) for every p in the box;  simplified is idempotent.
// It is not a decision procedure: two equal expressions may stay different (prove(Equal) decides).
#pragma once

#include <string>
#include <vector>

#include "core/expr/expr.h"
#include "core/expr/facts.h"

namespace tessera {

[[nodiscard]] Expr simplified(const Expr& e, const Environment& box);

// The same, recording which rule fired on what: "mod-in-range: (d1 * 10 + d2) mod 100 -> d1 * 10 + d2". For explain.
struct RewriteStep {
  std::string rule;
  Expr before, after;
};
[[nodiscard]] Expr simplified(const Expr& e, const Environment& box, std::vector<RewriteStep>& steps);

// A total order on expressions that does not depend on when they were made: digits before compound terms.
[[nodiscard]] int compareStructure(const Expr& a, const Expr& b);

}  // namespace tessera
