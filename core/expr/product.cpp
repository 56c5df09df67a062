#include "core/expr/product.h"

#include <algorithm>

#include "core/base/arith.h"
#include "core/expr/simplify.h"

namespace tessera {
namespace {

constexpr std::size_t kMostFactors = 16;  // a DAG of x * x, squared, has exponentially many factors

bool before(const Expr& s, const Expr& t) {
  const auto rank = [](const Expr& e) { return e.op() == Op::Param ? 2 : e.op() == Op::Digit ? 1 : 0; };
  return rank(s) != rank(t) ? rank(s) < rank(t) : compareStructure(s, t) < 0;
}

}  // namespace

std::optional<Product> factorsOf(const Expr& e) {
  Product out;
  std::vector<Expr> open{e};
  while (!open.empty()) {
    const Expr n = std::move(open.back());
    open.pop_back();
    if (n.op() == Op::Mul) {
      open.push_back(n.rhs());
      open.push_back(n.lhs());
    } else if (n.isConstant()) {
      if (!mulInto(out.coefficient, n.value())) return std::nullopt;
    } else {
      out.factors.push_back(n);
    }
    if (out.factors.size() + open.size() > kMostFactors) return std::nullopt;
  }
  std::sort(out.factors.begin(), out.factors.end(), before);
  return out;
}

Expr productOf(std::vector<Expr> factors) {
  std::sort(factors.begin(), factors.end(), before);
  Expr e = Expr::constant(1);
  for (const Expr& f : factors) e = e.isConstant(1) ? f : e * f;
  return e;
}

std::optional<std::vector<Expr>> without(std::vector<Expr> factors, const std::vector<Expr>& taken) {
  for (const Expr& t : taken) {
    const auto it = std::find(factors.begin(), factors.end(), t);
    if (it == factors.end()) return std::nullopt;
    factors.erase(it);
  }
  return factors;
}

}  // namespace tessera
