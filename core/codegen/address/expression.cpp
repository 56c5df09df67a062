#include "core/codegen/address/expression.h"

#include <fmt/format.h>

#include <cstdint>

namespace tessera::codegen {

std::string ExprText::held(const Text& t, int level) { return t.level >= level ? t.text : "(" + t.text + ")"; }

bool ExprText::wide(const Expr& e) {
  const Range range = facts_.of(e).interval;
  return range.lo < INT32_MIN || range.hi > INT32_MAX || !facts_.of(e).fits;
}

// The result may leave 32 bits: the first operand becomes a long long, and so does what follows.
void ExprText::widen(const Expr& e, Text& first, const Text& second) {
  if (first.wide || second.wide || !wide(e)) return;
  first = {"(long long)" + held(first, kUnary), kUnary, true};
}

ExprText::Text ExprText::text(const Expr& e) {
  if (named_) {
    const std::string name = named_(e);
    if (!name.empty()) return {name, kUnary, false};
  }
  switch (e.op()) {
    case Op::Constant: {
      const bool wide = e.value() > INT32_MAX || e.value() < INT32_MIN;
      return {fmt::format("{}{}", e.value(), wide ? "LL" : ""), e.value() < 0 ? kProduct : kUnary, wide};
    }
    case Op::Digit:
    case Op::Param:
      return {names_(e.index()), kUnary, false};
    case Op::Add:
      return sum(e);
    case Op::Mul:
      return product(e);
    case Op::FloorDiv:
    case Op::Mod:
      return division(e);
    case Op::Xor: {
      const Text a = text(e.lhs()), b = text(e.rhs());
      const auto side = [](const Text& t) { return t.level == kXor ? t.text : held(t, kUnary); };
      return {side(a) + " ^ " + side(b), kXor, a.wide || b.wide};
    }
    case Op::Min:
    case Op::Max: {
      Text a = text(e.lhs()), b = text(e.rhs());
      if (a.wide != b.wide) (a.wide ? b : a).text = "(long long)" + held(a.wide ? b : a, kUnary);
      return {fmt::format("{}({}, {})", e.op() == Op::Min ? "min" : "max", a.text, b.text), kUnary, a.wide || b.wide};
    }
  }
  return {"0", kUnary, false};
}

// x + y, x - y where y is a negative multiple.
ExprText::Text ExprText::sum(const Expr& e) {
  Expr left = e.lhs(), right = e.rhs();
  const auto negative = [](const Expr& x) {
    return x.op() == Op::Mul && x.rhs().isConstant() && x.rhs().value() < 0 && x.rhs().value() != INT64_MIN;
  };
  if (negative(left) && !negative(right) && !right.isConstant()) std::swap(left, right);
  Text a = text(left);
  const char* sign = " + ";
  if (right.isConstant() && right.value() < 0 && right.value() > INT32_MIN) {
    sign = " - ";
    right = Expr::constant(-right.value());
  } else if (negative(right)) {
    sign = " - ";
    right = right.lhs() * Expr::constant(-right.rhs().value());
  }
  const Text b = text(right);
  widen(e, a, b);
  return {held(a, kSum) + sign + held(b, kProduct), kSum, a.wide || b.wide};
}

ExprText::Text ExprText::product(const Expr& e) {
  if (e.rhs().isConstant(-1)) {
    const Text a = text(e.lhs());
    return {"-" + held(a, kUnary), kProduct, a.wide};
  }
  if (wide(e)) return wideProduct(e);
  Text a = text(e.lhs());
  const Text b = text(e.rhs());
  widen(e, a, b);
  const Op inner = e.lhs().op();
  const bool quotient = a.level == kProduct && (inner == Op::FloorDiv || inner == Op::Mod);  // (x % 4) * 8
  return {held(a, quotient ? kUnary : kProduct) + " * " + held(b, kUnary), kProduct, a.wide || b.wide};
}

// x * (M * 128) as (long long)x * M * 128: in 64 bits the order of factors is free.
ExprText::Text ExprText::wideProduct(const Expr& e) {
  std::vector<Expr> open{e}, factors;
  while (!open.empty()) {
    const Expr x = open.back();
    open.pop_back();
    if (x.op() != Op::Mul || (named_ && !named_(x).empty())) {
      factors.push_back(x);
      continue;
    }
    open.push_back(x.rhs());
    open.push_back(x.lhs());
  }
  std::string out;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const Text f = text(factors[k]);
    out += (k == 0 ? f.wide ? "" : "(long long)" : " * ") + held(f, kUnary);
  }
  return {out, kProduct, true};
}

ExprText::Text ExprText::division(const Expr& e) {
  const Text a = text(e.lhs()), b = text(e.rhs());
  const bool division = e.op() == Op::FloorDiv, wide = a.wide || b.wide;
  if (facts_.of(e.lhs()).interval.lo >= 0 && facts_.of(e.rhs()).interval.lo > 0)
    return {held(a, kProduct) + (division ? " / " : " % ") + held(b, kUnary), kProduct, wide};
  floor_ = true;
  return {fmt::format("tessera::floor_{}({}, {})", division ? "div" : "mod", a.text, b.text), kUnary, wide};
}

}  // namespace tessera::codegen
