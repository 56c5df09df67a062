// The laws of the simplifier's steps as text, printed from the rows of the table.
#include <fmt/format.h>

#include <array>

#include "core/expr/rules.h"

namespace tessera {
namespace {

const std::array<std::string, pattern::kExprs> kExprNames = {"x", "y", "z"};
const std::array<std::string, pattern::kConstants> kConstantNames = {"a", "b", "c", "g", "k"};

std::string textOf(const Expr& e) { return print(e, kExprNames, kConstantNames); }

// "": the condition is only for termination.
std::string textOf(const Condition& c) {
  using Kind = Condition::Kind;
  const std::string lhs = textOf(c.lhs), rhs = textOf(c.rhs);
  switch (c.kind) {
    case Kind::Positive:
      return lhs + " > 0";
    case Kind::PowerOfTwo:
      return lhs + " a power of two";
    case Kind::Zero:
      return lhs + " = 0";
    case Kind::Negative:
      return lhs + " < 0";
    case Kind::NotZero:
      return lhs + " not 0";
    case Kind::InRange:
      return fmt::format("0 <= {} < {}", lhs, rhs);
    case Kind::AtMost:
      return fmt::format("{} <= {}", lhs, rhs);
    case Kind::Disjoint:
      return fmt::format("{} and {} share no bit", lhs, rhs);
    case Kind::Outside:
    case Kind::Between:
    case Kind::Plain:
    case Kind::Reduced:
      return "";
  }
  return "";
}

// Steps that combine several rows, or that only change the form of a sum.
struct Named {
  std::string_view rule, law;
};
constexpr std::array<Named, 4> kNamed = {{
    {"like-terms", "x * a + x * b = x * (a + b): each part of a sum appears once"},
    {"known-constant", "the ranges of the variables leave one value"},
    {"min", "min: what is never the smaller goes, what both sides have comes out"},
    {"max", "max: what is never the larger goes, what both sides have comes out"},
}};

}  // namespace

std::string lawOf(std::string_view rule) {
  for (const Named& n : kNamed)
    if (n.rule == rule) return std::string(n.law);
  for (const Rule& row : rewriteRules()) {
    if (row.name != rule) continue;
    std::string when;
    for (const Condition& c : row.when)
      if (const std::string one = textOf(c); !one.empty()) when += (when.empty() ? ", where " : ", ") + one;
    return fmt::format("{} = {}{}{}{}", textOf(row.from), textOf(row.to), when, row.why.empty() ? "" : ": ", row.why);
  }
  return "";
}

}  // namespace tessera
