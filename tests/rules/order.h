// The termination order of core/expr/rules.h, computed plainly: over the expression as a tree, by recursion.
#pragma once

#include <array>

#include "core/expr/expr.h"

namespace tessera::order {

using Measure = std::array<double, 6>;  // compared lexicographically

inline bool isBinary(const Expr& e) { return e.op() != Op::Constant && e.op() != Op::Digit && e.op() != Op::Param; }
inline bool divides(const Expr& e) { return e.op() == Op::FloorDiv || e.op() == Op::Mod; }

inline double variables(const Expr& e) {
  if (!isBinary(e)) return e.isConstant() ? 0 : 1;
  return variables(e.lhs()) + variables(e.rhs());
}

// Constant terms (and coefficients, when asked) of the sum `e` that lie outside [0, divisor).
inline double outside(const Expr& e, i64 divisor, bool coefficients, i64 scale, i64& constant) {
  if (e.op() == Op::Add)
    return outside(e.lhs(), divisor, coefficients, scale, constant) +
           outside(e.rhs(), divisor, coefficients, scale, constant);
  if (e.op() == Op::Mul && e.rhs().isConstant())
    return outside(e.lhs(), divisor, coefficients, scale * e.rhs().value(), constant);
  if (e.isConstant()) {
    constant += e.value() * scale;
    return 0;
  }
  return coefficients && (scale < 0 || scale >= divisor) ? 1 : 0;
}

// The constant of a sum.
inline i64 constantOf(const Expr& e) {
  i64 constant = 0;
  (void)outside(e, 1, /*coefficients=*/false, 1, constant);
  return constant;
}
inline bool chooses(const Expr& e) { return e.op() == Op::Min || e.op() == Op::Max; }

inline void add(const Expr& e, int xorsMatterBelow, int depth, Measure& m) {
  m[5] += 1;
  if (!isBinary(e)) return;
  if (e.op() == Op::Xor) m[1] += xorsMatterBelow;
  if (divides(e)) m[2] += variables(e.lhs());
  if (divides(e) && e.rhs().isConstant()) {
    const i64 divisor = e.rhs().value();
    if (divisor < 0) m[0] += 1;
    m[3] += static_cast<double>(divisor < 0 ? -divisor : divisor);
    i64 constant = 0;
    double out = outside(e.lhs(), divisor, e.op() == Op::Mod, 1, constant);
    if (constant < 0 || constant >= divisor) out += 1;
    m[4] += out * static_cast<double>(u64{1} << depth);
  }
  if (chooses(e)) {
    const i64 a = constantOf(e.lhs()), b = constantOf(e.rhs());
    if ((a > 0 && b > 0) || (a < 0 && b < 0)) m[4] += static_cast<double>(u64{1} << depth);
  }
  const int inner = depth + (divides(e) || chooses(e) ? 1 : 0);
  const int below = xorsMatterBelow + (e.op() == Op::Mul || divides(e) ? 1 : 0);
  add(e.lhs(), below, inner, m);
  add(e.rhs(), below, inner, m);
}

inline Measure measureOf(const Expr& e) {
  Measure m{};
  add(e, 0, 0, m);
  return m;
}

}  // namespace tessera::order
