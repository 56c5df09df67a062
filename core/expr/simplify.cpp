#include "core/expr/simplify.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/expr/by_node.h"
#include "core/expr/linear_sum.h"
#include "core/expr/rules.h"
#include "core/expr/sum_rules.h"
#include "core/expr/walk.h"

namespace tessera {
namespace {

// Values of the pattern constants a b c g k; expressions of x y z.
struct Binding {
  std::array<Expr, pattern::kExprs> exprs;
  std::array<std::optional<i64>, pattern::kConstants> constants;
};

class Simplifier {
 public:
  Simplifier(FactBase& facts, std::vector<RewriteStep>* steps) : facts_(facts), steps_(steps) {}

  Expr run(const Expr& root) {
    // Children first, without recursion over the input's depth; rewrites of a node recurse only into new nodes.
    std::vector<std::pair<Expr, bool>> stack{{root, false}};
    while (!stack.empty()) {
      auto [e, expanded] = std::move(stack.back());
      stack.pop_back();
      if (done_.has(e)) continue;
      if (isLeaf(e.op())) {
        done_.add(e, settledLeaf(e));
        continue;
      }
      const std::vector<Expr> terms = longSum(e);
      if (!expanded) {
        stack.emplace_back(e, true);
        for (const Expr& t : terms) stack.emplace_back(t, false);
        if (!terms.empty()) continue;
        stack.emplace_back(e.rhs(), false);
        stack.emplace_back(e.lhs(), false);
        continue;
      }
      done_.add(e, terms.empty() ? node(e.op(), done_.at(e.lhs()), done_.at(e.rhs())) : sumOfMany(terms));
    }
    return done_.at(root);
  }

 private:
  Expr settledLeaf(const Expr& e) {
    const Facts& f = facts_.of(e);
    return f.isConstant() ? Expr::constant(f.interval.lo) : e;
  }

  Expr sumOfMany(const std::vector<Expr>& terms) {
    Expr whole;
    for (const Expr& t : terms) whole = whole + done_.at(t);
    return node(whole);
  }

  // lhs op rhs of simplified operands -> simplified.
  Expr node(Op op, const Expr& lhs, const Expr& rhs) { return node(Expr::binary(op, lhs, rhs)); }
  Expr node(const Expr& e) {
    if (isLeaf(e.op())) return settledLeaf(e);
    if (const Expr* const known = done_.find(e)) return *known;
    if (const Facts& f = facts_.of(e); f.fits && f.isConstant())
      return noted("known-constant", e, Expr::constant(f.interval.lo));
    Expr result = e;
    if (e.op() == Op::Mul && e.lhs().op() == Op::Xor) {
      result = rewritten(e);  // scale-of-xor, if it applies
      if (result == e) result = sum(e);
    } else if (e.op() == Op::Add || e.op() == Op::Mul) {
      result = sum(e);
    } else if (e.op() == Op::Xor) {
      result = exclusive(e);
    } else if (e.op() == Op::Min || e.op() == Op::Max) {
      result = extremum(e);
    } else {
      result = rewritten(e);
    }
    done_.add(e, result);
    done_.add(result, result);
    return result;
  }

  // Collecting and rewriting may produce larger values: (x mod 4)*c -> x*c. Such a step is rejected.
  bool stillFits(const Expr& before, const Expr& after) { return facts_.of(after).fits || !facts_.of(before).fits; }

  [[nodiscard]] bool asked() const { return steps_ != nullptr && steps_->size() < kMostSteps; }
  Expr noted(std::string_view rule, const Expr& before, const Expr& after) {
    if (asked()) steps_->push_back({std::string(rule), before, after});
    return after;
  }

  // --- sums -------------------------------------------------------------------------------------------------------

  Expr sum(const Expr& e) {
    auto l = linearSum(e);
    if (!l) return e;
    if (asked())  // reordering terms is not a step
      if (const Expr collected = built(*l); nodeCount(collected) < nodeCount(e) && stillFits(e, collected))
        noted("like-terms", e, collected);
    const Simple simple = [this](Op op, const Expr& lhs, const Expr& rhs) { return node(op, lhs, rhs); };
    for (;;) {
      auto merged = mergedDigits(*l, simple, facts_);
      if (!merged) merged = mergedDifference(*l, simple);
      if (!merged) break;
      if (asked()) noted(merged->rule, built(*l), built(merged->sum));
      l = std::move(merged->sum);
    }
    const Expr out = built(*l);
    if (!stillFits(e, out)) return e;
    if (!isLeaf(out.op()))
      if (const Facts& f = facts_.of(out); f.fits && f.isConstant())
        return noted("known-constant", out, Expr::constant(f.interval.lo));
    return out;
  }

  // --- xor --------------------------------------------------------------------------------------------------------

  Expr exclusive(const Expr& e) {
    std::vector<Expr> parts;
    i64 constant = 0;
    for (const Expr& n : chainOf(e, Op::Xor)) {
      if (n.isConstant()) {
        constant ^= n.value();
      } else if (const auto it = std::ranges::find(parts, n); it != parts.end()) {
        noted("xor-cancel", n ^ n, Expr::constant(0));
        parts.erase(it);
      } else {
        parts.push_back(n);
      }
    }
    std::ranges::sort(parts, [](const Expr& s, const Expr& t) { return compareStructure(s, t) < 0; });
    Expr out = Expr::constant(0);
    for (const Expr& p : parts) out = out.isConstant(0) ? p : (out ^ p);
    return constant == 0 ? out : (out ^ Expr::constant(constant));
  }

  // --- min and max ------------------------------------------------------------------------------------------------

  Expr extremum(const Expr& e) {
    const Extremum x = extremumOf(e, facts_);
    const Expr whole = x.choice + x.common;
    if (whole == e || !stillFits(e, whole)) return e;
    noted(e.op() == Op::Min ? "min" : "max", e, whole);
    if (x.choice.op() == e.op()) done_.add(x.choice, x.choice);
    return x.common.isConstant(0) ? x.choice : sum(whole);
  }

  // --- floordiv and mod: the rows of the table ---------------------------------------------------------------------

  Expr rewritten(const Expr& e) {
    if (rewrites_ > kRewriteCap) return e;
    if (!e.rhs().isConstant()) return e.op() == Op::Mul ? e : rewrittenByTerm(e);
    if (e.rhs().value() == 0) return e;
    for (const Rule& rule : rewriteRules()) {
      if (rule.from.op() != e.op() || rule.from.rhs() == pattern::z()) continue;
      if (const auto replacement = apply(rule, e)) {
        ++rewrites_;
        noted(rule.name, e, *replacement);
        // Operands are simplified already; only the nodes that the rule created are new.
        return run(*replacement);
      }
    }
    return e;
  }

  Expr rewrittenByTerm(const Expr& e) {
    const auto less = byTerm(e, facts_);
    if (!less || !stillFits(e, less->value)) return e;
    ++rewrites_;
    noted(less->rule, e, less->value);
    return run(less->value);
  }

  std::optional<Expr> apply(const Rule& rule, const Expr& e) {
    const Expr operand = rule.from.lhs();
    std::optional<Expr> found;
    // Each way to match the operand pattern; the divisor pattern fixes the remaining constants.
    matchOperand(operand, e.lhs(), e.rhs().value(), [&](Binding b) {
      if (!bindDivisor(rule.from.rhs(), e.rhs().value(), b) || !holds(rule, b)) return false;
      found = instantiate(rule.to, b);
      if (found && (*found == e || !stillFits(e, *found))) found.reset();
      return found.has_value();
    });
    return found;
  }

  template <typename Try>
  void matchOperand(const Expr& p, const Expr& e, i64 divisor, Try attempt) {
    using namespace pattern;
    Binding b;
    if (p == x()) {
      b.exprs[0] = e;
      // mod-one-period's a: minus the multiple of the divisor at or below the smallest value.
      if (const i64 lo = facts_.of(e).interval.lo; divisor > 0 && lo > INT64_MIN / 2)
        b.constants[0] = -floorDiv(lo, divisor) * divisor;
      attempt(b);
    } else if (p.op() == Op::Xor) {
      if (e.op() != Op::Xor) return;
      b.exprs[0] = e.lhs();
      b.exprs[1] = e.rhs();
      attempt(b);
    } else if (p.op() == Op::FloorDiv || p.op() == Op::Mod) {  // floorDiv(x, a), mod(x, a), mod(x, a*b)
      if (e.op() != p.op() || !e.rhs().isConstant()) return;
      b.exprs[0] = e.lhs();
      const i64 inner = e.rhs().value();
      if (p.rhs() == a()) {
        b.constants[0] = inner;
      } else {  // a*b with a the outer divisor
        if (divisor == 0 || inner % divisor != 0) return;
        b.constants[0] = divisor;
        b.constants[1] = inner / divisor;
      }
      attempt(b);
    } else if (p.op() == Op::Add && p.rhs().op() == Op::FloorDiv) {
      matchInnerDiv(e, attempt);
    } else {
      matchSum(p, e, divisor, attempt);
    }
  }

  // x + floordiv(y, a).
  template <typename Try>
  static void matchInnerDiv(const Expr& e, Try attempt) {
    const auto l = linearSum(e);
    if (!l) return;
    for (std::size_t i = 0; i < l->terms.size(); ++i) {
      const Term& t = l->terms[i];
      if (t.coefficient != 1 || t.part.op() != Op::FloorDiv || !t.part.rhs().isConstant()) continue;
      Linear rest = *l;
      rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(i));
      if (std::ranges::any_of(rest.terms, [](const Term& r) { return !isLeaf(r.part.op()); })) return;
      Binding b;
      b.exprs[0] = built(rest);
      b.exprs[1] = t.part.lhs();
      b.constants[0] = t.part.rhs().value();
      if (attempt(b)) return;
    }
  }

  // Sum patterns: x*a + y, x*g + y, mod(x, a)*c + y.
  template <typename Try>
  void matchSum(const Expr& p, const Expr& e, i64 divisor, Try attempt) {
    using namespace pattern;
    const auto l = linearSum(e);
    if (!l) return;
    const Expr scaled = p.lhs();
    if (scaled.rhs() == g()) {
      matchCommonFactor(*l, divisor, attempt);
      return;
    }
    const std::size_t terms = l->terms.size();
    for (std::size_t i = 0; i <= terms; ++i) {
      spend(static_cast<i64>(terms) / 8 + 1);
      Binding b;
      Linear rest = *l;
      if (i == terms) {  // the constant as x*a with x = 1
        if (scaled.lhs() != x() || l->constant == 0 || terms == 0) return;
        b.exprs[0] = Expr::constant(1);
        // Take out the largest multiple of the divisor, so that a remainder may stay. For values near INT64_MIN the
        // multiple, rounded down, may not fit.
        const auto multiple = divisor > 0 ? checkedMul(floorDiv(l->constant, divisor), divisor) : std::nullopt;
        if (!multiple || *multiple == 0) return;
        b.constants[0] = *multiple;
        rest.constant = l->constant - *multiple;
      } else {
        const Term& t = l->terms[i];
        rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(i));
        if (scaled.lhs() == x()) {
          b.exprs[0] = t.part;
          b.constants[0] = t.coefficient;
        } else {  // mod(x, a)*c
          if (t.part.op() != Op::Mod || !t.part.rhs().isConstant()) continue;
          b.exprs[0] = t.part.lhs();
          b.constants[0] = t.part.rhs().value();
          b.constants[2] = t.coefficient;
        }
      }
      b.exprs[1] = built(rest);
      if (attempt(b)) return;
    }
  }

  // x*g + y with g a common factor of some coefficients and of the divisor; y is the rest and must be below g.
  template <typename Try>
  void matchCommonFactor(const Linear& l, i64 divisor, Try attempt) {
    if (divisor <= 1) return;
    std::vector<i64> factors;
    for (const Term& t : l.terms) {
      if (t.coefficient == INT64_MIN) return;
      const i64 f = std::gcd(t.coefficient, divisor);
      if (f > 1 && std::ranges::find(factors, f) == factors.end()) factors.push_back(f);
    }
    std::sort(factors.rbegin(), factors.rend());
    for (const i64 f : factors) {
      if (divisor % f != 0) continue;
      Linear high, low;
      for (const Term& t : l.terms) {
        if (t.coefficient % f == 0)
          high.terms.push_back({t.part, t.coefficient / f});
        else
          low.terms.push_back(t);
      }
      high.constant = floorDiv(l.constant, f);
      low.constant = floorMod(l.constant, f);
      Binding b;
      b.exprs[0] = built(high);
      b.exprs[1] = built(low);
      b.constants[3] = f;
      b.constants[1] = divisor / f;
      if (attempt(b)) return;
    }
  }

  static bool bindDivisor(const Expr& p, i64 divisor, Binding& b) {
    if (p.op() != Op::Param) return true;  // g*b: bound by matchCommonFactor
    auto& slot = b.constants[static_cast<std::size_t>(p.index())];
    slot = slot.value_or(divisor);
    return *slot == divisor;
  }

  bool holds(const Rule& rule, const Binding& b) {
    return std::ranges::all_of(rule.when, [&](const Condition& c) {
      const auto lhs = instantiate(c.lhs, b);
      const auto rhs = instantiate(c.rhs, b);
      if (!lhs || !rhs) return false;
      using Kind = Condition::Kind;
      if (c.kind == Kind::Plain) return plain(*lhs);
      if (c.kind == Kind::InRange) {
        if (!rhs->isConstant()) return false;
        const Facts& f = facts_.of(*lhs);
        return f.fits && f.interval.lo >= 0 && f.interval.hi < rhs->value();
      }
      if (!lhs->isConstant()) return false;
      const i64 v = lhs->value();
      if (c.kind == Kind::Positive) return v > 0;
      if (c.kind == Kind::PowerOfTwo) return isPowerOfTwo(v);
      if (c.kind == Kind::Zero) return v == 0;
      if (c.kind == Kind::Negative) return v < 0 && v != INT64_MIN;
      // The other kinds belong to rows of sum_rules.h.
      return c.kind == Kind::Outside && rhs->isConstant() && (v < 0 || v >= rhs->value());
    });
  }

  // A pattern with its wildcards replaced; nullopt if a constant overflows (then the product would not have folded).
  static std::optional<Expr> instantiate(const Expr& p, const Binding& b) {
    if (p.isConstant()) return p;
    if (p.op() == Op::Digit) return b.exprs[static_cast<std::size_t>(p.index())];
    if (p.op() == Op::Param) {
      const auto& v = b.constants[static_cast<std::size_t>(p.index())];
      return v ? std::optional(Expr::constant(*v)) : std::nullopt;
    }
    const auto l = instantiate(p.lhs(), b), r = instantiate(p.rhs(), b);
    if (!l || !r) return std::nullopt;
    const Expr e = Expr::binary(p.op(), *l, *r);
    if (l->isConstant() && r->isConstant() && !e.isConstant()) return std::nullopt;
    return e;
  }

  static constexpr int kRewriteCap = 100000;
  static constexpr std::size_t kMostSteps = 1000;
  FactBase& facts_;
  std::vector<RewriteStep>* steps_;
  ByNode<Expr> done_;
  int rewrites_ = 0;
};

}  // namespace

// One pass is almost always a fixed point; the loop guarantees idempotence.
Expr simplified(const Expr& e, const Environment& box, std::vector<RewriteStep>* steps) {
  FactBase facts(box);
  Expr now = e;
  for (int round = 0; round < 8; ++round) {
    const Expr next = Simplifier(facts, steps).run(now);
    if (next == now) break;
    now = next;
  }
  return now;
}

}  // namespace tessera
