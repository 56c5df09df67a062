#include "core/expr/by_term.h"

#include <algorithm>
#include <vector>

#include "core/base/arith.h"
#include "core/expr/linear_sum.h"
#include "core/expr/product.h"

namespace tessera {
namespace {

// A sum as quotient * divisor + rest.
struct Taken {
  Linear quotient, rest;
};

// Term by term: those that contain all of the divisor's factors, and its coefficient.
Taken takenByFactors(const Linear& l, const Product& divisor) {
  Taken out;
  out.rest.constant = l.constant;
  for (const Term& t : l.terms) {
    const auto p = factorsOf(t.part);
    const auto left =
        p && t.coefficient % divisor.coefficient == 0 ? without(p->factors, divisor.factors) : std::nullopt;
    if (!left) {
      out.rest.terms.push_back(t);
    } else if (left->empty()) {
      out.quotient.constant = t.coefficient / divisor.coefficient;  // at most one term is the divisor itself
    } else {
      out.quotient.terms.push_back({productOf(*left), t.coefficient / divisor.coefficient});
    }
  }
  return out;
}

// A divisor that is a sum: as a whole, as often as its first term occurs in l.
std::optional<Taken> takenWhole(const Linear& l, const Linear& divisor) {
  const auto times = [&](const Term& d) -> std::optional<i64> {
    const auto it = std::find_if(l.terms.begin(), l.terms.end(), [&](const Term& t) { return t.part == d.part; });
    return it == l.terms.end() || it->coefficient % d.coefficient != 0 ? std::nullopt
                                                                       : std::optional(it->coefficient / d.coefficient);
  };
  const auto k = times(divisor.terms[0]);
  if (!k || !std::all_of(divisor.terms.begin(), divisor.terms.end(), [&](const Term& d) { return times(d) == k; }))
    return std::nullopt;
  const auto constant = checkedMul(*k, divisor.constant);
  const auto left = constant ? checkedSub(l.constant, *constant) : std::nullopt;
  const auto size = [](i64 v) { return v < 0 ? -static_cast<u64>(v) : static_cast<u64>(v); };
  if (!left || size(*left) > size(l.constant)) return std::nullopt;  // -1 floordiv (n + 1) is not simpler
  Taken out;
  out.quotient.constant = *k;
  out.rest.constant = *left;
  for (const Term& t : l.terms)
    if (std::none_of(divisor.terms.begin(), divisor.terms.end(), [&](const Term& d) { return d.part == t.part; }))
      out.rest.terms.push_back(t);
  return out;
}

std::optional<Taken> taken(const Expr& e) {
  const auto l = linearSum(e.lhs()), d = linearSum(e.rhs());
  if (!l || !d || d->terms.empty()) return std::nullopt;
  const auto has = [](const Linear& sum, i64 coefficient) {
    return std::any_of(sum.terms.begin(), sum.terms.end(), [&](const Term& t) { return t.coefficient == coefficient; });
  };
  if (has(*d, -1) && has(*l, INT64_MIN)) return std::nullopt;  // their quotient exceeds 64 bits
  const bool sum = d->terms.size() > 1 || d->constant != 0;
  if (sum)
    if (auto whole = takenWhole(*l, *d)) return whole;
  const auto factors = sum ? std::optional(Product{{e.rhs()}, 1}) : factorsOf(e.rhs());
  if (!factors) return std::nullopt;
  return takenByFactors(*l, *factors);
}

// Whether 0 <= x < divisor everywhere, by the facts of both and of their difference.
bool staysBelow(const Expr& x, const Expr& divisor, FactBase& facts) {
  const Facts f = facts.of(x);
  const auto between = f.fits && f.interval.lo >= 0 ? linearSum(divisor - x) : std::nullopt;
  if (!between) return false;
  const Facts d = facts.of(built(*between));
  return d.fits && d.interval.lo > 0;
}

}  // namespace

std::optional<ByTerm> byTerm(const Expr& e, FactBase& facts) {
  const bool rest = e.op() == Op::Mod;
  const Facts divisor = facts.of(e.rhs());
  if (!divisor.fits || (divisor.interval.lo <= 0 && divisor.interval.hi >= 0)) return std::nullopt;
  if (staysBelow(e.lhs(), e.rhs(), facts))
    return rest ? ByTerm{e.lhs(), "mod-below-term"} : ByTerm{Expr::constant(0), "div-below-term"};
  const auto t = taken(e);
  if (!t || (t->quotient.terms.empty() && t->quotient.constant == 0)) return std::nullopt;
  if (rest) return ByTerm{mod(built(t->rest), e.rhs()), "mod-by-term"};
  return ByTerm{built(t->quotient) + floorDiv(built(t->rest), e.rhs()), "div-by-term"};
}

}  // namespace tessera
