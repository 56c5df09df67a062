#include "core/expr/linear_sum.h"

#include <algorithm>
#include <utility>

#include "core/base/arith.h"
#include "core/base/work.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"

namespace tessera {
namespace {

constexpr std::size_t kLongSum = 64;           // longer sums are collected at once
constexpr std::size_t kLongestSum = 1U << 17;  // a DAG of x + x, doubled, has exponentially many terms
constexpr std::size_t kMostFactors = 16;       // a DAG of x * x, squared, has exponentially many factors

bool before(const Expr& s, const Expr& t) {
  const auto rank = [](const Expr& e) { return e.op() == Op::Param ? 2 : e.op() == Op::Digit ? 1 : 0; };
  return rank(s) != rank(t) ? rank(s) < rank(t) : compareStructure(s, t) < 0;
}

// n * scale; for a product, extracts the constant and orders the factors.
bool addPart(Linear& to, const Expr& n, i64 scale) {
  auto p = n.op() == Op::Mul ? factorsOf(n) : std::nullopt;
  if (!p) return addTerm(to, n, scale);
  const auto c = checkedMul(scale, p->coefficient);
  return c && addTerm(to, productOf(std::move(p->factors)), *c);
}

}  // namespace

const Term* Linear::find(const Expr& part) const {
  const auto found = std::ranges::find(terms, part, &Term::part);
  return found == terms.end() ? nullptr : &*found;
}

bool addTerm(Linear& to, const Expr& part, i64 coefficient) {
  spend(static_cast<i64>(to.terms.size() / 8) + 1);
  for (Term& t : to.terms)
    if (t.part == part) return addInto(t.coefficient, coefficient);
  to.terms.push_back({part, coefficient});
  return true;
}

std::optional<Linear> linearSum(const Expr& e) {
  Linear out;
  std::vector<std::pair<Expr, i64>> stack{{e, 1}};
  while (!stack.empty()) {
    const auto [n, scale] = stack.back();
    stack.pop_back();
    if (n.isConstant()) {
      const auto v = checkedMul(n.value(), scale);
      if (!v || !addInto(out.constant, *v)) return std::nullopt;
    } else if (n.op() == Op::Add) {
      stack.emplace_back(n.rhs(), scale);
      stack.emplace_back(n.lhs(), scale);
    } else if (n.op() == Op::Mul && n.rhs().isConstant()) {
      const auto s = checkedMul(scale, n.rhs().value());
      if (!s) return std::nullopt;
      stack.emplace_back(n.lhs(), *s);
    } else if (!addPart(out, n, scale)) {
      return std::nullopt;
    }
  }
  std::erase_if(out.terms, [](const Term& t) { return t.coefficient == 0; });
  return out;
}

Expr built(Linear l) {
  std::ranges::sort(l.terms, [](const Term& s, const Term& t) { return compareStructure(s.part, t.part) < 0; });
  // A sum begins with a negative term only if all are negative.
  std::stable_partition(l.terms.begin(), l.terms.end(), [](const Term& t) { return t.coefficient > 0; });
  Expr e = Expr::constant(0);
  for (const Term& t : l.terms) e = e + t.part * t.coefficient;
  return e + Expr::constant(l.constant);
}

int compareStructure(const Expr& a, const Expr& b) {
  std::vector<std::pair<Expr, Expr>> stack{{a, b}};
  while (!stack.empty()) {
    const auto [s, t] = stack.back();
    stack.pop_back();
    if (s == t) continue;
    const auto rank = [](Op op) {
      return op == Op::Digit ? 0 : op == Op::Param ? 1 : op == Op::Constant ? 99 : 2 + static_cast<int>(op);
    };
    if (s.op() != t.op()) return rank(s.op()) < rank(t.op()) ? -1 : 1;
    if (s.op() == Op::Constant) return s.value() < t.value() ? -1 : 1;
    if (s.op() == Op::Digit || s.op() == Op::Param) return s.index() < t.index() ? -1 : 1;
    stack.emplace_back(s.rhs(), t.rhs());
    stack.emplace_back(s.lhs(), t.lhs());
  }
  return 0;
}

std::vector<Expr> longSum(const Expr& e) {
  std::vector<Expr> terms;
  if (e.op() == Op::Add) terms = chainOf(e, Op::Add, kLongestSum);
  if (terms.size() < kLongSum) terms.clear();
  return terms;
}

bool plain(const Expr& root) {
  const std::vector<Expr> nodes = nodesIn(root);
  return std::ranges::all_of(nodes,
                             [](const Expr& e) { return isLeaf(e.op()) || e.op() == Op::Add || e.op() == Op::Mul; });
}

std::optional<Product> factorsOf(const Expr& e) {
  Product out;
  out.factors = chainOf(e, Op::Mul, 2 * kMostFactors);  // with constants
  if (out.factors.empty()) return std::nullopt;
  for (const Expr& n : out.factors)
    if (n.isConstant() && !mulInto(out.coefficient, n.value())) return std::nullopt;
  std::erase_if(out.factors, [](const Expr& n) { return n.isConstant(); });
  if (out.factors.size() > kMostFactors) return std::nullopt;
  std::ranges::sort(out.factors, before);
  return out;
}

Expr productOf(std::vector<Expr> factors) {
  std::ranges::sort(factors, before);
  Expr e = Expr::constant(1);
  for (const Expr& f : factors) e = e.isConstant(1) ? f : e * f;
  return e;
}

std::optional<std::vector<Expr>> without(std::vector<Expr> factors, const std::vector<Expr>& taken) {
  for (const Expr& t : taken) {
    const auto it = std::ranges::find(factors, t);
    if (it == factors.end()) return std::nullopt;
    factors.erase(it);
  }
  return factors;
}

}  // namespace tessera
