#include "core/expr/merge_digits.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/expr/product.h"

namespace tessera {
namespace {

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
  return in(l.constant) &&
         std::all_of(l.terms.begin(), l.terms.end(), [&](const Term& t) { return in(t.coefficient); });
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

}  // namespace

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

}  // namespace tessera
