#include "core/expr/extremum.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"

namespace tessera {
namespace {

constexpr std::size_t kMostSides = 32;  // sides of one chain that are compared pairwise

// Whether a <= b everywhere: by the facts of the difference, or
// because b is a max containing a (a is a min containing b).
bool atMost(const Expr& a, const Expr& b, FactBase& facts) {
  const auto holds = [](const Expr& list, Op op, const Expr& wanted) {
    Expr n = list;
    for (; n.op() == op; n = n.lhs())
      if (n.rhs() == wanted) return true;
    return n == wanted && list.op() == op;
  };
  if (holds(b, Op::Max, a) || holds(a, Op::Min, b)) return true;
  const Facts f = facts.of(a), g = facts.of(b);
  if (!f.fits || !g.fits) return false;
  if (f.interval.hi <= g.interval.lo) return true;
  const auto l = linearSum(b - a);
  if (!l) return false;
  const Facts d = facts.of(built(*l));
  return d.fits && d.interval.lo >= 0;
}

// Takes out of every side what all share: whole terms, and the smallest constant if all have one sign.
Expr takeCommon(std::vector<Expr>& sides) {
  std::vector<Linear> all;
  for (const Expr& s : sides) {
    auto l = linearSum(s);
    if (!l || sides.size() < 2) return Expr::constant(0);
    all.push_back(*std::move(l));
  }
  Linear common;
  for (const Term& t : all[0].terms) {
    const bool shared = std::all_of(all.begin(), all.end(), [&](const Linear& l) {
      return std::any_of(l.terms.begin(), l.terms.end(),
                         [&](const Term& o) { return o.part == t.part && o.coefficient == t.coefficient; });
    });
    if (shared) common.terms.push_back(t);
  }
  i64 low = INT64_MAX, high = INT64_MIN;
  for (const Linear& l : all) {
    low = std::min(low, l.constant);
    high = std::max(high, l.constant);
  }
  common.constant = low > 0 ? low : high < 0 ? high : 0;
  if (common.terms.empty() && common.constant == 0) return Expr::constant(0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::erase_if(all[k].terms, [&](const Term& t) {
      return std::any_of(common.terms.begin(), common.terms.end(), [&](const Term& o) { return o.part == t.part; });
    });
    all[k].constant -= common.constant;
    sides[k] = built(all[k]);
  }
  return built(common);
}

// The sides of a chain, in structural order, a constant last.
std::vector<Expr> sidesOf(const Expr& e) {
  const Op op = e.op();
  std::vector<Expr> sides;
  std::optional<Expr> bound;
  for (const Expr& n : chainOf(e, op)) {
    if (n.isConstant()) {
      bound = bound ? Expr::binary(op, *bound, n) : n;
    } else if (std::find(sides.begin(), sides.end(), n) == sides.end()) {
      sides.push_back(n);
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Expr& s, const Expr& t) { return compareStructure(s, t) < 0; });
  if (bound) sides.push_back(*bound);
  return sides;
}

}  // namespace

Extremum extremumOf(const Expr& e, FactBase& facts) {
  const Op op = e.op();
  std::vector<Expr> sides = sidesOf(e);
  for (std::size_t k = 0; k < sides.size() && sides.size() <= kMostSides; ++k) {
    const bool needless = std::any_of(sides.begin(), sides.end(), [&](const Expr& other) {
      return !(other == sides[k]) && (op == Op::Min ? atMost(other, sides[k], facts) : atMost(sides[k], other, facts));
    });
    if (needless) sides.erase(sides.begin() + static_cast<std::ptrdiff_t>(k--));
  }
  Extremum out;
  out.common = takeCommon(sides);
  out.choice = sides[0];
  for (std::size_t k = 1; k < sides.size(); ++k) out.choice = Expr::binary(op, out.choice, sides[k]);
  return out;
}

}  // namespace tessera
