// simplified: the canonical form of an expression over a box.
//
// Sums become linear: one term per distinct non-sum part, like terms merged, terms in a fixed order, the constant last.
// Operands of floordiv, mod and xor are simplified first; then the rows of expr/rules.h are applied until none matches.
//
//     (d0*100 + d1*10 + d2) mod 100 floordiv 10,  all in [0,9]   ->   d1
//
// Laws: evaluate(simplified(e, box), p) == evaluate(e, p) for every p in the box;  simplified is idempotent.
// It is not a decision procedure: equal expressions may remain different (prove(Equal) decides).
#pragma once

#include <string>
#include <vector>

#include "core/expr/expr.h"
#include "core/expr/facts.h"

namespace tessera {

// One step: which rule was applied to what. "mod-in-range: (d1 * 10 + d2) mod 100 -> d1 * 10 + d2"
struct RewriteStep {
  std::string rule;
  Expr before, after;
};
// `steps` receives the steps, if given.
[[nodiscard]] Expr simplified(const Expr& e, const Environment& box, std::vector<RewriteStep>* steps = nullptr);

// A total order on expressions, independent of creation order: digits before compound terms.
[[nodiscard]] int compareStructure(const Expr& a, const Expr& b);

}  // namespace tessera
