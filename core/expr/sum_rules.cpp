#include "core/expr/sum_rules.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"

namespace tessera {
namespace {

// A sum as quotient * divisor + rest.
struct Taken {
  Linear quotient, rest;
};

// Takes out the terms that contain all of the divisor's factors and its coefficient.
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

// For a divisor that is a sum: takes it out as a whole, as often as its first term occurs in l.
std::optional<Taken> takenWhole(const Linear& l, const Linear& divisor) {
  const auto times = [&](const Term& d) -> std::optional<i64> {
    const Term* const t = l.find(d.part);
    if (t == nullptr || t->coefficient % d.coefficient != 0) return std::nullopt;
    return t->coefficient / d.coefficient;
  };
  const auto k = times(divisor.terms[0]);
  if (!k || !std::ranges::all_of(divisor.terms, [&](const Term& d) { return times(d) == k; })) return std::nullopt;
  const auto constant = checkedMul(*k, divisor.constant);
  const auto left = constant ? checkedSub(l.constant, *constant) : std::nullopt;
  const auto size = [](i64 v) { return v < 0 ? -static_cast<u64>(v) : static_cast<u64>(v); };
  if (!left || size(*left) > size(l.constant)) return std::nullopt;  // -1 floordiv (n + 1) is not simpler
  Taken out;
  out.quotient.constant = *k;
  out.rest.constant = *left;
  for (const Term& t : l.terms)
    if (divisor.find(t.part) == nullptr) out.rest.terms.push_back(t);
  return out;
}

std::optional<Taken> taken(const Expr& e) {
  const auto l = linearSum(e.lhs()), d = linearSum(e.rhs());
  if (!l || !d || d->terms.empty()) return std::nullopt;
  const auto has = [](const Linear& sum, i64 coefficient) {
    return std::ranges::any_of(sum.terms, [&](const Term& t) { return t.coefficient == coefficient; });
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

// A term with x mod a among its factors: x mod a * (the product of rest) * coefficient.
struct Low {
  std::size_t term = 0;
  Expr digit;  // x mod a
  std::vector<Expr> rest;
};

// The term that replaces two digits.
struct Whole {
  Expr part;
  std::string_view rule;
};

std::vector<Expr> factorsOfPart(const Expr& part) {
  if (part.op() != Op::Mul) return {part};
  auto p = factorsOf(part);
  return p && p->coefficient == 1 ? std::move(p->factors) : std::vector<Expr>{part};
}

// l without the two terms, plus extra * coefficient; nullopt on 64-bit overflow.
std::optional<Linear> replaced(const Linear& l, std::size_t out1, std::size_t out2, const Expr& extra,
                               i64 coefficient) {
  Linear next;
  next.constant = l.constant;
  for (std::size_t n = 0; n < l.terms.size(); ++n)
    if (n != out1 && n != out2 && !addTerm(next, l.terms[n].part, l.terms[n].coefficient)) return std::nullopt;
  const auto added = linearSum(extra * coefficient);
  if (!added) return std::nullopt;
  for (const Term& t : added->terms)
    if (!addTerm(next, t.part, t.coefficient)) return std::nullopt;
  if (!addInto(next.constant, added->constant)) return std::nullopt;
  std::erase_if(next.terms, [](const Term& t) { return t.coefficient == 0; });
  return next;
}

class Digits {
 public:
  Digits(const Linear& l, const Simple& simple, FactBase& facts) : l_(l), simple_(simple), facts_(facts) {}

  std::optional<Merged> merged() {
    for (std::size_t j = 0; j < l_.terms.size(); ++j) collectLows(j);
    for (std::size_t i = 0; i < l_.terms.size(); ++i) {
      const auto found = lows_.find(l_.terms[i].coefficient);
      if (found == lows_.end()) continue;
      for (const Low& low : found->second) {
        spend();
        if (i == low.term) continue;
        const auto whole = put(l_.terms[i].part, low);
        if (!whole) continue;
        auto next = replaced(l_, i, low.term, whole->part, l_.terms[low.term].coefficient);
        if (!next) return std::nullopt;
        return Merged{*std::move(next), whole->rule};
      }
    }
    return std::nullopt;
  }

 private:
  // By the coefficient that the digit above would have.
  void collectLows(std::size_t j) {
    const Term& t = l_.terms[j];
    if (t.part.op() != Op::Mod && t.part.op() != Op::Mul) return;
    const std::vector<Expr> factors = factorsOfPart(t.part);
    for (const Expr& digit : factors) {
      if (digit.op() != Op::Mod || facts_.of(digit.rhs()).interval.lo <= 0) continue;
      const auto divisor = factorsOf(digit.rhs());
      const auto above = divisor ? checkedMul(divisor->coefficient, t.coefficient) : std::nullopt;
      if (above) lows_[*above].push_back({j, digit, *without(factors, {digit})});
    }
  }

  // high and low as one term without its coefficient, or nullopt.
  std::optional<Whole> put(const Expr& high, const Low& low) {
    const Expr x = low.digit.lhs(), a = low.digit.rhs();
    auto beside = without(factorsOfPart(high), low.rest);
    if (beside && !a.isConstant()) beside = without(*std::move(beside), factorsOf(a)->factors);
    if (!beside || beside->size() != 1) return std::nullopt;
    const Expr above = beside->front();  // the high part of x, in its simplified form
    const auto times = [&](const Expr& e) { return low.rest.empty() ? e : e * productOf(low.rest); };
    const bool alone = low.rest.empty();
    if (above == simple_(Op::FloorDiv, x, a))
      return Whole{times(x), !a.isConstant() ? "sum-of-digits-by-term"
                             : alone         ? "sum-of-digits"
                                             : "sum-of-scaled-digits"};
    if (!a.isConstant() || above.op() != Op::Mod || !above.rhs().isConstant() || above.rhs().value() <= 0 ||
        !(above.lhs() == simple_(Op::FloorDiv, x, a)))
      return std::nullopt;
    const auto ab = checkedMul(a.value(), above.rhs().value());
    if (!ab) return std::nullopt;
    return Whole{times(simple_(Op::Mod, x, Expr::constant(*ab))),
                 alone ? "sum-of-inner-digits" : "sum-of-scaled-inner-digits"};
  }

  const Linear& l_;
  const Simple& simple_;
  FactBase& facts_;
  std::unordered_map<i64, std::vector<Low>> lows_;
};

// x * y, both term by term and as a whole: either may be in the sum.
std::vector<Linear> multiples(const Expr& x, const Linear& terms, const std::vector<Expr>& y) {
  if (y.empty()) return {terms};
  Linear spread;
  const Expr by = productOf(y);
  for (const Term& t : terms.terms)
    if (const auto p = linearSum(t.part * by); p && p->terms.size() == 1)
      spread.terms.push_back({p->terms[0].part, t.coefficient});
  if (terms.constant != 0) spread.terms.push_back({by, terms.constant});
  std::vector<Linear> out;
  if (spread.terms.size() == terms.terms.size() + (terms.constant != 0 ? 1 : 0)) out.push_back(spread);
  if (terms.terms.size() != 1 || terms.constant != 0)
    if (auto whole = linearSum(x * by)) out.push_back(*std::move(whole));
  return out;
}

// Coefficients and constant in [0, a): see difference-of-digits.
bool reduced(const Linear& l, i64 a) {
  const auto in = [a](i64 v) { return v >= 0 && v < a; };
  return in(l.constant) && std::ranges::all_of(l.terms, [&](const Term& t) { return in(t.coefficient); });
}

// Subtracts k * x from the sum; false unless x is reduced mod a and each of its terms is there at least k times.
bool takeOut(Linear& from, const Linear& x, i64 k, i64 a) {
  if (!reduced(x, a)) return false;
  for (const Term& t : x.terms) {
    spend(static_cast<i64>(from.terms.size() / 8) + 1);
    const auto want = checkedMul(t.coefficient, k);
    const auto has = std::ranges::find(from.terms, t.part, &Term::part);
    if (!want || has == from.terms.end()) return false;
    if (*want > 0 ? has->coefficient < *want : has->coefficient > *want) return false;
    has->coefficient -= *want;
  }
  const auto constant = checkedMul(x.constant, k);
  const auto left = constant ? checkedSub(from.constant, *constant) : std::nullopt;
  from.constant = left.value_or(from.constant);
  return left.has_value();
}

// The sum contains k * x * y and t = x floordiv a * y * (-a * k): replaces both by x mod a * y * k.
std::optional<Merged> takenOff(const Linear& l, std::size_t i, const Expr& digit, const std::vector<Expr>& y,
                               const Simple& simple) {
  const i64 a = digit.rhs().value(), k = -l.terms[i].coefficient / a;
  const auto x = linearSum(digit.lhs());
  if (!x || x->terms.empty() || !reduced(*x, a)) return std::nullopt;
  for (const Linear& whole : multiples(digit.lhs(), *x, y)) {
    Linear next = l;
    if (!takeOut(next, whole, k, a)) continue;
    const Expr rest = simple(Op::Mod, digit.lhs(), digit.rhs());
    auto out = replaced(next, i, i, y.empty() ? rest : rest * productOf(y), k);
    if (out) return Merged{*std::move(out), y.empty() ? "difference-of-digits" : "difference-of-scaled-digits"};
  }
  return std::nullopt;
}

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

// Removes from every side what all share: whole terms, and the smallest constant if all have one sign. Returns it.
Expr takeCommon(std::vector<Expr>& sides) {
  std::vector<Linear> all;
  for (const Expr& s : sides) {
    auto l = linearSum(s);
    if (!l || sides.size() < 2) return Expr::constant(0);
    all.push_back(*std::move(l));
  }
  Linear common;
  for (const Term& t : all[0].terms) {
    const bool shared = std::ranges::all_of(all, [&](const Linear& l) {
      const Term* const o = l.find(t.part);
      return o != nullptr && o->coefficient == t.coefficient;
    });
    if (shared) common.terms.push_back(t);
  }
  const auto [low, high] = std::ranges::minmax(all, {}, &Linear::constant);
  common.constant = low.constant > 0 ? low.constant : high.constant < 0 ? high.constant : 0;
  if (common.terms.empty() && common.constant == 0) return Expr::constant(0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::erase_if(all[k].terms, [&](const Term& t) { return common.find(t.part) != nullptr; });
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
    } else if (std::ranges::find(sides, n) == sides.end()) {
      sides.push_back(n);
    }
  }
  std::ranges::sort(sides, [](const Expr& s, const Expr& t) { return compareStructure(s, t) < 0; });
  if (bound) sides.push_back(*bound);
  return sides;
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

std::optional<Merged> mergedDigits(const Linear& l, const Simple& simple, FactBase& facts) {
  return Digits(l, simple, facts).merged();
}

std::optional<Merged> mergedDifference(const Linear& l, const Simple& simple) {
  for (std::size_t i = 0; i < l.terms.size(); ++i) {
    const Term& t = l.terms[i];
    if ((t.part.op() != Op::FloorDiv && t.part.op() != Op::Mul) || t.coefficient == INT64_MIN) continue;
    const std::vector<Expr> factors = factorsOfPart(t.part);
    for (const Expr& digit : factors) {
      if (digit.op() != Op::FloorDiv || !digit.rhs().isConstant()) continue;
      const i64 a = digit.rhs().value();
      if (a <= 1 || t.coefficient % a != 0) continue;
      if (auto merged = takenOff(l, i, digit, *without(factors, {digit}), simple)) return merged;
    }
  }
  return std::nullopt;
}

Extremum extremumOf(const Expr& e, FactBase& facts) {
  const Op op = e.op();
  std::vector<Expr> sides = sidesOf(e);
  for (std::size_t k = 0; k < sides.size() && sides.size() <= kMostSides; ++k) {
    const bool needless = std::ranges::any_of(sides, [&](const Expr& other) {
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
