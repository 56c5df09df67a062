#include "core/codegen/index/index_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/arith.h"
#include "core/expr/linear_sum.h"

namespace tessera::codegen {
namespace {

// One side of a comparison against the other.
struct Comparison {
  Expr left, right;
  std::string_view sign;
};

// e >= 0, e <= 0 (sign -1) or e == 0 with what is subtracted on the other side: n - 1 - i >= 0 is i < n.
std::optional<Comparison> compared(const Expr& e, i64 bound, int sign, FactBase& facts) {
  const auto whole = linearSum(e);
  if (!whole) return std::nullopt;
  Linear added, taken;
  for (const Term& t : whole->terms) {
    if (t.coefficient == INT64_MIN || t.coefficient == 0) return std::nullopt;
    (t.coefficient > 0 ? added : taken).terms.push_back({t.part, std::abs(t.coefficient)});
  }
  if (taken.terms.empty()) return std::nullopt;          // e remains alone
  const auto over = checkedSub(whole->constant, bound);  // added - taken + over, against 0
  if (!over || *over == INT64_MIN) return std::nullopt;
  const bool strict = sign > 0 ? *over == -1 : sign < 0 && *over == 1;
  if (!strict) (*over > 0 ? added : taken).constant = std::abs(*over);
  const Expr left = built(taken), right = built(added);  // taken <= added
  if (!facts.of(left).fits || !facts.of(right).fits) return std::nullopt;
  if (sign == 0) return Comparison{left, right, "=="};
  if (sign > 0) return Comparison{left, right, strict ? "<" : "<="};
  return Comparison{left, right, strict ? ">" : ">="};
}

void compare(const Guard& g, FactBase& facts, std::vector<Comparison>& out) {
  const Range r = facts.of(g.value).interval;
  const bool below = r.lo<g.lo, above = r.hi> g.hi;
  const auto add = [&](i64 bound, int sign) {
    const std::string_view plain = sign == 0 ? "==" : sign > 0 ? ">=" : "<=";
    out.push_back(compared(g.value, bound, sign, facts).value_or(Comparison{g.value, Expr::constant(bound), plain}));
  };
  if (below && above && g.lo == g.hi) return add(g.lo, 0);
  if (below) add(g.lo, 1);
  if (above) add(g.hi, -1);
}

}  // namespace

SpelledBody spell(const std::vector<Expr>& roots, const Environment& box, const std::vector<std::string>& names,
                  Dialect dialect) {
  FactBase facts(box);
  return spell(roots, facts, dialect, [&](int k) { return names[static_cast<std::size_t>(k)]; });
}

SpelledBody spellValues(const IndexFunction& f, Dialect dialect) {
  std::vector<Expr> roots;
  for (const IndexValue& v : f.values) roots.push_back(v.value);
  return spell(roots, f.box(), namesOf(f), dialect);
}

SpelledBody spellGuards(const IndexFunction& f, Dialect dialect) {
  FactBase facts(f.box());
  std::vector<Comparison> comparisons;
  for (const Guard& g : f.guards) {
    const Range r = facts.of(g.value).interval;
    if (r.hi < g.lo || r.lo > g.hi || g.lo > g.hi) {  // no value meets it
      SpelledBody never;
      never.values.push_back({dialect == Dialect::Python ? "False" : "0"});
      never.uses.assign(f.parameters.size(), false);
      return never;
    }
    compare(g, facts, comparisons);
  }
  std::vector<Expr> roots;
  for (const Comparison& c : comparisons) roots.insert(roots.end(), {c.left, c.right});
  SpelledBody body = spell(roots, f.box(), namesOf(f), dialect);
  std::vector<Spelled> values;
  const auto side = [](const Spelled& s) { return s.loose ? "(" + s.text + ")" : s.text; };
  for (std::size_t k = 0; k < comparisons.size(); ++k)
    values.push_back(
        {fmt::format("{} {} {}", side(body.values[2 * k]), comparisons[k].sign, side(body.values[2 * k + 1]))});
  body.values = std::move(values);
  return body;
}

}  // namespace tessera::codegen
