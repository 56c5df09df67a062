#include "core/expr/linear_sum.h"

#include <algorithm>
#include <utility>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/expr/product.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"

namespace tessera {
namespace {

constexpr std::size_t kLongSum = 64;           // longer sums are collected at once
constexpr std::size_t kLongestSum = 1U << 17;  // a DAG of x + x, doubled, has exponentially many terms

}  // namespace

bool addTerm(Linear& to, const Expr& part, i64 coefficient) {
  spend(static_cast<i64>(to.terms.size() / 8) + 1);
  for (Term& t : to.terms) {
    if (!(t.part == part)) continue;
    if (!addInto(t.coefficient, coefficient)) return false;
    return true;
  }
  to.terms.push_back({part, coefficient});
  return true;
}

// n * scale; for a product, extracts the constant and orders the factors.
static bool addPart(Linear& to, const Expr& n, i64 scale) {
  if (n.op() != Op::Mul) return addTerm(to, n, scale);
  auto p = factorsOf(n);
  if (!p) return addTerm(to, n, scale);
  const auto c = checkedMul(scale, p->coefficient);
  return c && addTerm(to, productOf(std::move(p->factors)), *c);
}

std::optional<Linear> linearSum(const Expr& e) {
  Linear out;
  std::vector<std::pair<Expr, i64>> stack{{e, 1}};
  while (!stack.empty()) {
    const auto [n, scale] = stack.back();
    stack.pop_back();
    if (n.isConstant()) {
      const auto v = checkedMul(n.value(), scale);
      const auto c = v ? checkedAdd(out.constant, *v) : std::nullopt;
      if (!c) return std::nullopt;
      out.constant = *c;
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
  std::sort(l.terms.begin(), l.terms.end(),
            [](const Term& s, const Term& t) { return compareStructure(s.part, t.part) < 0; });
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

bool takeOut(Linear& from, const Linear& x, i64 k, i64 a) {
  if (x.constant < 0 || x.constant >= a) return false;
  for (const Term& t : x.terms) {
    if (t.coefficient < 0 || t.coefficient >= a) return false;
    spend(static_cast<i64>(from.terms.size() / 8) + 1);
    const auto want = checkedMul(t.coefficient, k);
    const auto has =
        std::find_if(from.terms.begin(), from.terms.end(), [&](const Term& n) { return n.part == t.part; });
    if (!want || has == from.terms.end()) return false;
    if (*want > 0 ? has->coefficient < *want : has->coefficient > *want) return false;
    has->coefficient -= *want;
  }
  const auto constant = checkedMul(x.constant, k);
  const auto left = constant ? checkedSub(from.constant, *constant) : std::nullopt;
  if (left) from.constant = *left;
  return left.has_value();
}

std::vector<Expr> longSum(const Expr& e) {
  if (e.op() != Op::Add) return {};
  std::vector<Expr> terms, open{e};
  while (!open.empty()) {
    const Expr n = std::move(open.back());
    open.pop_back();
    if (n.op() == Op::Add) {
      open.push_back(n.rhs());
      open.push_back(n.lhs());
    } else {
      terms.push_back(n);
    }
    if (terms.size() + open.size() > kLongestSum) return {};
  }
  if (terms.size() < kLongSum) terms.clear();
  return terms;
}

bool plain(const Expr& root) {
  std::vector<Expr> stack{root};
  while (!stack.empty()) {
    const Expr e = stack.back();
    stack.pop_back();
    if (isLeaf(e.op())) continue;
    if (e.op() != Op::Add && e.op() != Op::Mul) return false;
    stack.push_back(e.lhs());
    stack.push_back(e.rhs());
  }
  return true;
}

}  // namespace tessera
