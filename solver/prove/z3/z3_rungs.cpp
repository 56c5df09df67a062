// Rungs 4 and 5: Z3.
//
// Pairs without xor: the difference form. For maps linear in their digits f(x) = f(y) depends only on delta = y - x:
//
//     delta_k in (-n_k, n_k),  sum delta_k * s_k = 0 on every axis,  some delta_k != 0
//
// half the variables of two copies; milliseconds where two copies or div/mod time out. The pair is x = max(0, -delta),
// y = max(0, delta). Guards that are monotone in the digits (i <= M-1) hold for some pair if and only if they hold for
// that minimal pair, so they stay exact. Other guards are dropped, which keeps "proved" sound; a pair that does not
// replay falls through to two copies. A quotient atom contributes |delta a - c*delta q| < c.
// With xor: two copies over bit-vectors. Symbolic sizes: the same forms over QF_NIA.
// A counterexample is made small by bisecting its digits, most significant first, within a fraction of the budget.
#include "solver/prove/obligation.h"
#include "solver/prove/prove.h"

#ifdef TESSERA_HAVE_Z3

#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "solver/prove/z3/z3_check.h"
#include "solver/prove/z3/z3_encode.h"

namespace tessera {

bool haveZ3() { return true; }

namespace prover {

namespace {

constexpr Work kMinimiseWork = workOf(0.15);
constexpr double kDifferenceShare = 0.6;  // share of the remaining work, before two copies are tried

std::string methodOf(const std::string& logic) { return "Z3 " + logic; }

// Input and output of one solver run.
struct Run {
  const std::string& name;
  bool exportSmt2;
  const Budget& budget;
  Answer out{};
  int files = 0;

  z3::check_result check(Z3Check& z3, Work most) {
    const z3::check_result result = z3.check(most);
    out.method = methodOf(z3.logic());
    if (exportSmt2) out.smt2.emplace_back(fmt::format("{}_{}.smt2", name, ++files), z3.smt2(result));
    if (result == z3::unknown) out.detail = z3.reason();
    return result;
  }
  Answer answered(Answer a) {
    a.method = out.method;
    a.smt2 = std::move(out.smt2);
    return a;
  }
};

// Shrinks each term towards 0, in order, while the assertions stay satisfiable. Returns the last model.
z3::model minimised(Z3Check& z3, z3::model model, const std::vector<z3::expr>& terms, const Budget& budget) {
  const Budget own(std::min(kMinimiseWork, budget.share(0.25)), nullptr);
  for (const z3::expr& term : terms) {
    i64 lo = 0;
    i64 hi = valueIn(model, term).value_or(0);
    const auto number = [&](i64 v) {
      return term.is_bv() ? z3.context().bv_val(v, term.get_sort().bv_size()) : z3.context().int_val(v);
    };
    while (lo < hi && !own.spent() && !budget.spent()) {
      const i64 middle = lo + (hi - lo) / 2;
      z3.solver().push();
      z3.solver().add(term <= number(middle));
      const z3::check_result result = z3.check(own.remaining());
      if (result == z3::sat) {
        model = z3.solver().get_model();
        hi = std::min(middle, valueIn(model, term).value_or(middle));
      }
      z3.solver().pop();
      if (result == z3::unknown) return model;
      if (result == z3::unsat) lo = middle + 1;
    }
    z3.solver().add(term <= number(hi));
    if (own.spent() || budget.spent()) break;
  }
  return model;
}

std::vector<i64> paramValues(const Normal& normal, const std::vector<i64>& values, std::size_t count) {
  std::vector<i64> params(count, 0);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (normal.atoms()[k].kind == AtomKind::Param) params[normal.atoms()[k].source] = values[k];
  return params;
}

// Parts of a copy, most significant colex digit first: the order of minimisation.
std::vector<z3::expr> partsOf(const Normal& normal, const Z3Encoding::Copy& at) {
  std::vector<z3::expr> parts;
  for (std::size_t k = normal.atoms().size(); k-- > 0;)
    if (normal.atoms()[k].kind == AtomKind::Part) parts.push_back(at[k]);
  return parts;
}

bool collides(const Map& map, const std::vector<i64>& x, const std::vector<i64>& y, const std::vector<i64>& params) {
  return x != y && inBox(map.digits(), x) && inBox(map.digits(), y) && map.isReal(x, params) && map.isReal(y, params) &&
         map.at(x, params) == map.at(y, params);
}

// The pairs problem: axes first, then guards, in the forms of one Normal.
struct PairForms {
  const Map& map;
  const Normal& normal;
  [[nodiscard]] const Form& axis(std::size_t k) const { return normal.forms()[k]; }
  [[nodiscard]] const Form& guard(std::size_t k) const { return normal.forms()[map.axes().size() + k]; }
};

// form <= bound with every digit coefficient >= 0: exact on the minimal pair.
struct Monotone {
  Form form;
  i64 bound = 0;
};

bool growsWithDigits(const Normal& normal, const Form& f) {
  return std::ranges::all_of(f.terms, [&](const auto& term) {
    int parts = 0;
    Interval coefficient{term.second, term.second};
    for (int a : term.first) {
      const Atom& atom = normal.atoms()[a];
      if (atom.kind == AtomKind::Part) {
        ++parts;
      } else if (atom.kind == AtomKind::Param) {
        coefficient = coefficient * atom.range;
      } else {
        return false;
      }
    }
    return parts == 0 || (parts == 1 && coefficient.lo >= 0);
  });
}

// The difference form applies when every monomial has at most one atom that is not a parameter.
bool hasDifferenceForm(const Normal& normal) {
  const auto fits = [&](const Form& f) {
    return std::ranges::all_of(f.terms, [&](const auto& term) {
      return std::ranges::count_if(term.first, [&](int a) { return normal.atoms()[a].kind != AtomKind::Param; }) <= 1;
    });
  };
  return std::ranges::all_of(normal.forms(), fits) && std::ranges::all_of(normal.atoms(), [&](const Atom& a) {
           return a.kind == AtomKind::Part || a.kind == AtomKind::Param ||
                  (a.kind == AtomKind::Quotient && a.b.isConstant() && fits(a.a));
         });
}

class Difference {
 public:
  // Without `bounded`, digits and parameters have no upper bounds except guards. That admits more pairs, so "none" is
  // still a proof, and QF_NIA does not fall back to bit-blasting bounded integers.
  Difference(z3::context& context, const PairForms& p, bool bounded)
      : context_(context), p_(p), encoding_(context, p.normal, Z3Sort::Integers), bounded_(bounded) {}

  void assertInto(z3::solver& solver) {
    z3::expr_vector facts(context_);
    Z3Encoding::Copy shared = encoding_.copy("_unused", facts);  // parameters live here
    delta_ = minus_ = positive_ = negative_ = shared;
    z3::expr_vector bounds(context_), moved(context_);
    for (std::size_t k = 0; k < p_.normal.atoms().size(); ++k) makeDelta(k, bounds, moved);
    // Parameter ranges are facts about shared terms; facts of the unused copy itself are dropped.
    for (std::size_t k = 0; k < p_.normal.atoms().size(); ++k)
      if (p_.normal.atoms()[k].kind == AtomKind::Param)
        bounds.push_back(bounded_ ? ranged(shared[k], p_.normal.atoms()[k].range)
                                  : encoding_.constant(p_.normal.atoms()[k].range.lo) <= shared[k]);
    for (std::size_t k = 0; k < p_.normal.atoms().size(); ++k) {
      const Atom& a = p_.normal.atoms()[k];
      if (a.kind != AtomKind::Quotient) continue;
      const i64 c = a.b.constantTerm();
      bounds.push_back(ranged(linear(a.a) - encoding_.constant(c) * delta_[k], {1 - i128{c}, i128{c} - 1}));
    }
    for (const z3::expr& e : bounds) solver.add(e);
    for (std::size_t a = 0; a < p_.map.axes().size(); ++a) solver.add(linear(p_.axis(a)) == 0);
    solver.add(z3::mk_or(moved));
    for (const Monotone& m : monotone()) {
      // With one digit, the larger of F(delta) and F(-delta) is the one at |delta|: no case distinction needed.
      const bool single = digitsIn(m.form) <= 1;
      solver.add(encoding_.form(m.form, single ? delta_ : positive_) <= encoding_.constant(m.bound));
      solver.add(encoding_.form(m.form, single ? minus_ : negative_) <= encoding_.constant(m.bound));
    }
  }

  // |delta| of each part, most significant first, for minimisation.
  [[nodiscard]] std::vector<z3::expr> sizes() const {
    return mapped<z3::expr>(partsOf(p_.normal, delta_), [](const z3::expr& d) { return z3::ite(d < 0, -d, d); });
  }
  [[nodiscard]] Answer pair(const z3::model& model) const {
    const std::vector<i64> d = atomValues(p_.normal, model, delta_);
    std::vector<i64> x = d, y = d;
    for (std::size_t k = 0; k < d.size(); ++k) {
      if (p_.normal.atoms()[k].kind != AtomKind::Part) continue;
      x[k] = std::max<i64>(0, -d[k]);
      y[k] = std::max<i64>(0, d[k]);
    }
    return refuted("", {p_.normal.digitsAt(x), p_.normal.digitsAt(y)},
                   paramValues(p_.normal, d, p_.map.params().size()));
  }

 private:
  z3::expr ranged(const z3::expr& e, const Interval& r) const {
    return encoding_.constant(r.lo) <= e && e <= encoding_.constant(r.hi);
  }
  [[nodiscard]] int digitsIn(const Form& f) const {
    int count = 0;
    for (const auto& [monomial, coefficient] : f.terms)
      count += std::ranges::any_of(monomial, [&](int a) { return p_.normal.isPart(a); });
    return count;
  }
  void makeDelta(std::size_t k, z3::expr_vector& bounds, z3::expr_vector& moved) {
    const Atom& a = p_.normal.atoms()[k];
    if (a.kind == AtomKind::Param) return;
    const z3::expr d = context_.int_const(fmt::format("delta{}", k).c_str());
    delta_[k] = d;
    const i128 width = a.range.hi - a.range.lo;
    if (bounded_) bounds.push_back(ranged(d, {-width, width}));
    if (a.kind != AtomKind::Part) return;
    moved.push_back(d != 0);
    positive_[k] = z3::ite(d > 0, d, context_.int_val(0));
    negative_[k] = z3::ite(d < 0, -d, context_.int_val(0));
    minus_[k] = -d;
  }
  // f at y minus f at x; terms without digits cancel.
  [[nodiscard]] z3::expr linear(const Form& f) const {
    Form moving;
    for (const auto& [monomial, coefficient] : f.terms)
      if (std::ranges::any_of(monomial, [&](int a) { return p_.normal.atoms()[a].kind != AtomKind::Param; }))
        moving.terms[monomial] = coefficient;
    return encoding_.form(moving, delta_);
  }
  [[nodiscard]] std::vector<Monotone> monotone() const {
    std::vector<Monotone> out;
    for (const Constraint& c : p_.normal.constraints()) out.push_back({c.form, c.hi});
    for (std::size_t g = 0; g < p_.map.guards().size(); ++g) {
      const Guard& guard = p_.map.guards()[g];
      const Form& f = p_.guard(g);
      const auto minus = scaled(f, -1);
      const Interval r = p_.normal.range(f);
      if (r.hi > guard.hi && growsWithDigits(p_.normal, f)) out.push_back({f, guard.hi});
      if (r.lo < guard.lo && minus && guard.lo != INT64_MIN && growsWithDigits(p_.normal, *minus))
        out.push_back({*minus, -guard.lo});
    }
    return out;
  }

  z3::context& context_;
  const PairForms& p_;
  Z3Encoding encoding_;
  bool bounded_;
  Z3Encoding::Copy delta_, minus_, positive_, negative_;
};

std::optional<Answer> byDifference(const PairForms& p, bool bounded, Run& run) {
  Z3Check z3(Z3Encoding::logicFor(p.normal, Z3Sort::Integers), run.budget);
  Difference difference(z3.context(), p, bounded);
  difference.assertInto(z3.solver());
  const z3::check_result result = run.check(z3, run.budget.share(kDifferenceShare));
  if (result == z3::unsat) return proved("", "no difference of two points leaves every axis unchanged");
  if (result == z3::unknown) return std::nullopt;
  const z3::model first = z3.solver().get_model();
  const auto replays = [&](const Answer& a) { return collides(p.map, a.points[0], a.points[1], a.params); };
  const Answer smaller = difference.pair(minimised(z3, first, difference.sizes(), run.budget));
  if (replays(smaller)) return smaller;
  const Answer found = difference.pair(first);
  if (replays(found)) return found;
  return std::nullopt;  // a guard omitted from the form
}

std::optional<Answer> byTwoCopies(const PairForms& p, Z3Sort sort, Run& run) {
  Z3Check z3(Z3Encoding::logicFor(p.normal, sort), run.budget);
  Z3Encoding encoding(z3.context(), p.normal, sort);
  z3::expr_vector facts(z3.context()), moved(z3.context());
  const Z3Encoding::Copy x = encoding.copy("_x", facts), y = encoding.copy("_y", facts);
  for (std::size_t k = 0; k < p.normal.atoms().size(); ++k)
    if (p.normal.atoms()[k].kind == AtomKind::Part) moved.push_back(x[k] != y[k]);
  for (const z3::expr& e : facts) z3.solver().add(e);
  z3.solver().add(z3::mk_or(moved));
  for (std::size_t g = 0; g < p.map.guards().size(); ++g)
    for (const Z3Encoding::Copy* at : {&x, &y})
      z3.solver().add(encoding.within(p.guard(g), p.map.guards()[g].lo, p.map.guards()[g].hi, *at));
  for (std::size_t a = 0; a < p.map.axes().size(); ++a)
    z3.solver().add(encoding.form(p.axis(a), x) == encoding.form(p.axis(a), y));
  const z3::check_result result = run.check(z3, run.budget.remaining());
  if (result == z3::unsat) return proved("", "no two points have the same image");
  if (result == z3::unknown) return std::nullopt;
  std::vector<z3::expr> terms = partsOf(p.normal, x);
  for (const z3::expr& e : partsOf(p.normal, y)) terms.push_back(e);
  const z3::model model = minimised(z3, z3.solver().get_model(), terms, run.budget);
  const std::vector<i64> vx = atomValues(p.normal, model, x), vy = atomValues(p.normal, model, y);
  return refuted("", {p.normal.digitsAt(vx), p.normal.digitsAt(vy)}, paramValues(p.normal, vx, p.map.params().size()));
}

std::optional<Answer> pointwiseBy(const Pointwise& p, const Normal& normal, Z3Sort sort, Run& run) {
  Z3Check z3(Z3Encoding::logicFor(normal, sort), run.budget);
  Z3Encoding encoding(z3.context(), normal, sort);
  z3::expr_vector facts(z3.context()), broken(z3.context());
  const Z3Encoding::Copy x = encoding.copy("", facts);
  for (const z3::expr& e : facts) z3.solver().add(e);
  std::size_t form = 0;
  for (const Goal& g : p.goals) {
    const Form& left = normal.forms()[form++];
    if (g.right) {
      broken.push_back(encoding.form(left, x) != encoding.form(normal.forms()[form++], x));
    } else {
      broken.push_back(!encoding.within(left, g.lo, g.hi, x));
    }
  }
  for (const Guard& g : p.assume) z3.solver().add(encoding.within(normal.forms()[form++], g.lo, g.hi, x));
  z3.solver().add(z3::mk_or(broken));
  const z3::check_result result = run.check(z3, run.budget.remaining());
  if (result == z3::unsat) return proved("", "no point breaks the claim");
  if (result == z3::unknown) return std::nullopt;
  const z3::model model = minimised(z3, z3.solver().get_model(), partsOf(normal, x), run.budget);
  const std::vector<i64> values = atomValues(normal, model, x);
  return refuted("", {normal.digitsAt(values)}, paramValues(normal, values, p.params.size()));
}

// The answer of `solve` over integers, or bits if there is an xor; else unknown with the run's reason.
template <typename Solve>
Answer solved(const std::optional<Normal>& normal, Run run, const Solve& solve) {
  if (!normal) return unknown("Z3", "the expressions have no normal form");
  const Z3Sort sort = Z3Encoding::hasXor(*normal) ? Z3Sort::Bits : Z3Sort::Integers;
  try {
    if (sort == Z3Sort::Bits && !Z3Encoding::widthFor(*normal)) {
      run.out.detail = "the values need more than 118 bits";
    } else if (std::optional<Answer> a = solve(sort, run)) {
      return run.answered(*std::move(a));
    }
  } catch (const z3::exception& e) {
    run.out.detail = e.msg();
  }
  if (run.budget.cancelled()) run.out.detail = "cancelled";
  return run.answered(unknown("", run.out.detail));
}

}  // namespace

Answer byZ3(const Map& pairs, const std::string& name, bool exportSmt2, const Budget& budget) {
  const auto normal = Normal::create(pairs.digits(), pairs.params(), allExprs(pairs));
  return solved(normal, {name, exportSmt2, budget}, [&](Z3Sort sort, Run& run) -> std::optional<Answer> {
    const PairForms p{pairs, *normal};
    const bool difference = sort == Z3Sort::Integers && hasDifferenceForm(*normal);
    std::optional<Answer> a;
    if (difference && !Z3Encoding::isLinear(*normal)) a = byDifference(p, /*bounded=*/false, run);
    if (!a && difference && !budget.spent()) a = byDifference(p, /*bounded=*/true, run);
    if (a || (sort == Z3Sort::Integers && budget.spent())) return a;
    return byTwoCopies(p, sort, run);
  });
}

Answer byZ3(const Pointwise& p, const std::string& name, bool exportSmt2, const Budget& budget) {
  std::vector<Expr> exprs = goalExprs(p.goals);
  for (const Guard& g : p.assume) exprs.push_back(g.value);
  const auto normal = Normal::create(p.digits, p.params, exprs);
  return solved(normal, {name, exportSmt2, budget},
                [&](Z3Sort sort, Run& run) { return pointwiseBy(p, *normal, sort, run); });
}

}  // namespace prover
}  // namespace tessera

#else

namespace tessera {

bool haveZ3() { return false; }

namespace prover {

Answer byZ3(const Pointwise&, const std::string&, bool, const Budget&) { return unknown("Z3", "this build has no Z3"); }
Answer byZ3(const Map&, const std::string&, bool, const Budget&) { return unknown("Z3", "this build has no Z3"); }

}  // namespace prover
}  // namespace tessera

#endif
