// Rung 1: decided by the normal forms alone. Goals whose sides have the same form hold everywhere; a range goal holds
// if the interval of its form fits. A map with at most one point is injective.
#include <fmt/format.h>

#include "solver/prove/obligation.h"
#include "solver/prove/structure/normal.h"

namespace tessera::prover {

namespace {
constexpr const char* kName = "simplify";
}

Answer bySimplify(const Pointwise& p) {
  const auto normal = Normal::create(p.digits, p.params, goalExprs(p.goals));
  if (!normal) return unknown(kName, "the expressions have no normal form");
  std::size_t k = 0;
  for (const Goal& g : p.goals) {
    const Form& left = normal->forms()[k++];
    if (g.right) {
      if (left != normal->forms()[k++]) return unknown(kName, "the two sides do not simplify to the same expression");
    } else if (!normal->range(left).inside(g.lo, g.hi)) {
      return unknown(kName, "the interval of the simplified expression is not inside the bounds");
    }
  }
  const bool equality = !p.goals.empty() && p.goals.back().right.has_value();
  return proved(kName, equality ? "both sides simplify to the same expression" : "the interval of each axis fits");
}

Answer bySimplify(const Map& pairs) {
  for (const Digit& d : pairs.digits())
    if (d.extent > 1) return unknown(kName, "more than one point");
  return proved(kName, "there is at most one point");
}

}  // namespace tessera::prover
