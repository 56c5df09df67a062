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
#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "solver/prove/obligation.h"
#include "solver/prove/smt/encode.h"
#include "solver/prove/z3/smt_solver.h"

namespace tessera::prover {

namespace {

using smt::Encoding;
using smt::Numbers;
using smt::Status;
using smt::Term;

constexpr double kDifferenceShare = 0.6;  // share of the remaining work, before two copies are tried

std::string methodOf(const std::string& logic) { return "Z3 " + logic; }

// Input and output of one solver run.
struct Run {
  const std::string& name;
  bool exportSmt2;
  const Budget& budget;
  Answer out{};
  int files = 0;

  // `ifSat`, `ifUnsat`: what they say about the claim.
  Status check(SmtSolver& solver, const smt::Terms& terms, Work most, const char* ifSat, const char* ifUnsat) {
    if (exportSmt2) spend(terms.size());
    const Status result = solver.check(most);
    out.method = methodOf(solver.logic());
    if (exportSmt2) out.smt2.emplace_back(fmt::format("{}_{}.smt2", name, ++files), solver.text(ifSat, ifUnsat));
    if (result == Status::Unknown) out.detail = solver.reason();
    return result;
  }
  Answer answered(Answer a) {
    a.method = out.method;
    a.smt2 = std::move(out.smt2);
    return a;
  }
};

std::vector<i64> paramValues(const Normal& normal, const std::vector<i64>& values, std::size_t count) {
  std::vector<i64> params(count, 0);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (normal.atoms()[k].kind == AtomKind::Param) params[normal.atoms()[k].source] = values[k];
  return params;
}

// Parts of a copy, most significant colex digit first: the order of minimisation.
std::vector<Term> partsOf(const Normal& normal, const Encoding::Copy& at) {
  std::vector<Term> parts;
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
  Difference(smt::Terms& terms, const PairForms& p, bool bounded)
      : terms_(terms), p_(p), encoding_(terms, p.normal, Numbers::Integers), bounded_(bounded) {}

  void assertInto(SmtSolver& solver) {
    std::vector<Term> facts, bounds, moved;
    Encoding::Copy shared = encoding_.copy("_unused", facts);  // parameters live here
    delta_ = minus_ = positive_ = negative_ = shared;
    for (std::size_t k = 0; k < p_.normal.atoms().size(); ++k) makeDelta(k, bounds, moved);
    // Parameter ranges are facts about shared terms; facts of the unused copy itself are dropped.
    for (std::size_t k = 0; k < p_.normal.atoms().size(); ++k) {
      const Atom& a = p_.normal.atoms()[k];
      if (a.kind != AtomKind::Param) continue;
      bounds.push_back(bounded_ ? ranged(shared[k], a.range)
                                : terms_.atMost(encoding_.constant(a.range.lo), shared[k]));
    }
    for (std::size_t k = 0; k < p_.normal.atoms().size(); ++k) {
      const Atom& a = p_.normal.atoms()[k];
      if (a.kind != AtomKind::Quotient) continue;
      const i64 c = a.b.constantTerm();
      const Term moving = linear(a.a), back = terms_.product(encoding_.constant(-i128{c}), delta_[k]);
      bounds.push_back(ranged(terms_.sum({moving, back}), {1 - i128{c}, i128{c} - 1}));
    }
    for (const Term t : bounds) solver.add(t);
    for (std::size_t a = 0; a < p_.map.axes().size(); ++a)
      solver.add(terms_.equal(linear(p_.axis(a)), encoding_.constant(0)));
    solver.add(terms_.any(moved));
    const Bounds bounded = monotone();
    exact_ = bounded_ && bounded.complete;
    for (const Monotone& m : bounded.all) {
      // With one digit, the larger of F(delta) and F(-delta) is the one at |delta|: no case distinction needed.
      const bool single = digitsIn(m.form) <= 1;
      for (const Encoding::Copy* at : {single ? &delta_ : &positive_, single ? &minus_ : &negative_})
        solver.add(terms_.atMost(encoding_.form(m.form, *at), encoding_.constant(m.bound)));
    }
  }

  // |delta| of each part, most significant first, for minimisation.
  [[nodiscard]] std::vector<Term> sizes() const {
    return mapped<Term>(partsOf(p_.normal, delta_), [&](Term d) {
      return terms_.choice(terms_.below(d, encoding_.constant(0)), terms_.negated(d), d);
    });
  }
  [[nodiscard]] Answer pair(SmtSolver& solver) const {
    const std::vector<i64> d = atomValues(p_.normal, solver, delta_);
    std::vector<i64> x = d, y = d;
    for (std::size_t k = 0; k < d.size(); ++k) {
      if (p_.normal.atoms()[k].kind != AtomKind::Part) continue;
      x[k] = std::max<i64>(0, -d[k]);
      y[k] = std::max<i64>(0, d[k]);
    }
    return refuted("", {p_.normal.digitsAt(x), p_.normal.digitsAt(y)},
                   paramValues(p_.normal, d, p_.map.params().size()));
  }
  // Whether every solution is a pair of points. Requires: assertInto().
  [[nodiscard]] bool isExact() const { return exact_; }

 private:
  [[nodiscard]] Term ranged(Term t, const Interval& r) const {
    const Term above = terms_.atMost(encoding_.constant(r.lo), t);
    return terms_.all({above, terms_.atMost(t, encoding_.constant(r.hi))});
  }
  [[nodiscard]] int digitsIn(const Form& f) const {
    int count = 0;
    for (const auto& [monomial, coefficient] : f.terms)
      count += std::ranges::any_of(monomial, [&](int a) { return p_.normal.isPart(a); });
    return count;
  }
  void makeDelta(std::size_t k, std::vector<Term>& bounds, std::vector<Term>& moved) {
    const Atom& a = p_.normal.atoms()[k];
    if (a.kind == AtomKind::Param) return;
    const Term d = terms_.variable(fmt::format("delta{}", k), smt::Sort::integer());
    delta_[k] = d;
    const i128 width = a.range.hi - a.range.lo;
    if (bounded_) bounds.push_back(ranged(d, {-width, width}));
    if (a.kind != AtomKind::Part) return;
    const Term zero = encoding_.constant(0), opposite = terms_.negated(d);
    moved.push_back(terms_.differ(d, zero));
    positive_[k] = terms_.choice(terms_.below(zero, d), d, zero);
    negative_[k] = terms_.choice(terms_.below(d, zero), opposite, zero);
    minus_[k] = opposite;
  }
  // f at y minus f at x; terms without digits cancel.
  [[nodiscard]] Term linear(const Form& f) const {
    Form moving;
    for (const auto& [monomial, coefficient] : f.terms)
      if (std::ranges::any_of(monomial, [&](int a) { return p_.normal.atoms()[a].kind != AtomKind::Param; }))
        moving.terms[monomial] = coefficient;
    return encoding_.form(moving, delta_);
  }
  struct Bounds {
    std::vector<Monotone> all = {};
    bool complete = true;  // no guard is omitted, no quotient approximated
  };
  [[nodiscard]] Bounds monotone() const {
    Bounds out;
    const auto add = [&](const std::optional<Form>& form, i64 bound) {
      const bool grows = form && bound != INT64_MIN && growsWithDigits(p_.normal, *form);
      if (grows) out.all.push_back({*form, bound});
      out.complete = out.complete && grows;
    };
    for (const Constraint& c : p_.normal.constraints()) out.all.push_back({c.form, c.hi});
    for (std::size_t g = 0; g < p_.map.guards().size(); ++g) {
      const Guard& guard = p_.map.guards()[g];
      const Form& f = p_.guard(g);
      const Interval r = p_.normal.range(f);
      if (r.hi > guard.hi) add(f, guard.hi);
      if (r.lo < guard.lo) add(scaled(f, -1), guard.lo == INT64_MIN ? INT64_MIN : -guard.lo);
    }
    for (const Atom& a : p_.normal.atoms()) out.complete = out.complete && a.kind != AtomKind::Quotient;
    return out;
  }

  smt::Terms& terms_;
  const PairForms& p_;
  Encoding encoding_;
  bool bounded_, exact_ = false;
  Encoding::Copy delta_, minus_, positive_, negative_;
};

constexpr const char* kApart = "no two points have the same image";

std::optional<Answer> byDifference(const PairForms& p, bool bounded, Run& run) {
  smt::Terms terms;
  SmtSolver solver(terms, Encoding::logicFor(p.normal, Numbers::Integers), run.budget);
  Difference difference(terms, p, bounded);
  difference.assertInto(solver);
  const Status result =
      run.check(solver, terms, run.budget.share(kDifferenceShare),
                difference.isExact() ? "the points max(0, -delta) and max(0, delta) have the same image"
                                     : "nothing is decided, since differences only approximate points",
                kApart);
  if (result == Status::Unsat) return proved("", "no difference of two points leaves every axis unchanged");
  if (result == Status::Unknown) return std::nullopt;
  const Answer found = difference.pair(solver);
  const auto replays = [&](const Answer& a) { return collides(p.map, a.points[0], a.points[1], a.params); };
  solver.minimise(difference.sizes());
  const Answer smaller = difference.pair(solver);
  if (replays(smaller)) return smaller;
  if (replays(found)) return found;
  return std::nullopt;  // a guard omitted from the form
}

std::optional<Answer> byTwoCopies(const PairForms& p, Numbers numbers, Run& run) {
  smt::Terms terms;
  SmtSolver solver(terms, Encoding::logicFor(p.normal, numbers), run.budget);
  Encoding encoding(terms, p.normal, numbers);
  std::vector<Term> facts, moved;
  const Encoding::Copy x = encoding.copy("_x", facts), y = encoding.copy("_y", facts);
  for (std::size_t k = 0; k < p.normal.atoms().size(); ++k)
    if (p.normal.atoms()[k].kind == AtomKind::Part) moved.push_back(terms.differ(x[k], y[k]));
  for (const Term t : facts) solver.add(t);
  solver.add(terms.any(moved));
  for (std::size_t g = 0; g < p.map.guards().size(); ++g)
    for (const Encoding::Copy* at : {&x, &y})
      solver.add(encoding.within(p.guard(g), p.map.guards()[g].lo, p.map.guards()[g].hi, *at));
  for (std::size_t a = 0; a < p.map.axes().size(); ++a) {
    const Term image = encoding.form(p.axis(a), x);
    solver.add(terms.equal(image, encoding.form(p.axis(a), y)));
  }
  const Status result =
      run.check(solver, terms, run.budget.remaining(), "the points x and y have the same image", kApart);
  if (result == Status::Unsat) return proved("", "no two points have the same image");
  if (result == Status::Unknown) return std::nullopt;
  std::vector<Term> parts = partsOf(p.normal, x);
  for (const Term t : partsOf(p.normal, y)) parts.push_back(t);
  solver.minimise(parts);
  const std::vector<i64> vx = atomValues(p.normal, solver, x), vy = atomValues(p.normal, solver, y);
  return refuted("", {p.normal.digitsAt(vx), p.normal.digitsAt(vy)}, paramValues(p.normal, vx, p.map.params().size()));
}

std::optional<Answer> pointwiseBy(const Pointwise& p, const Normal& normal, Numbers numbers, Run& run) {
  smt::Terms terms;
  SmtSolver solver(terms, Encoding::logicFor(normal, numbers), run.budget);
  Encoding encoding(terms, normal, numbers);
  std::vector<Term> facts, broken;
  const Encoding::Copy x = encoding.copy("", facts);
  for (const Term t : facts) solver.add(t);
  std::size_t form = 0;
  for (const Goal& g : p.goals) {
    const Form& left = normal.forms()[form++];
    if (g.right) {
      const Term value = encoding.form(left, x);
      broken.push_back(terms.differ(value, encoding.form(normal.forms()[form++], x)));
    } else {
      broken.push_back(terms.opposite(encoding.within(left, g.lo, g.hi, x)));
    }
  }
  for (const Guard& g : p.assume) solver.add(encoding.within(normal.forms()[form++], g.lo, g.hi, x));
  solver.add(terms.any(broken));
  const Status result =
      run.check(solver, terms, run.budget.remaining(), "a point breaks the goals", "every point meets the goals");
  if (result == Status::Unsat) return proved("", "no point breaks the claim");
  if (result == Status::Unknown) return std::nullopt;
  solver.minimise(partsOf(normal, x));
  const std::vector<i64> values = atomValues(normal, solver, x);
  return refuted("", {normal.digitsAt(values)}, paramValues(normal, values, p.params.size()));
}

// The answer of `solve` over integers, or bits if there is an xor; else unknown with the run's reason.
template <typename Solve>
Answer solved(const std::optional<Normal>& normal, Run run, const Solve& solve) {
  if (!normal) return unknown("Z3", "the expressions have no normal form");
  const Numbers numbers = Encoding::hasXor(*normal) ? Numbers::Bits : Numbers::Integers;
  try {
    if (numbers == Numbers::Bits && !Encoding::widthFor(*normal)) {
      run.out.detail = "the values need more than 118 bits";
    } else if (std::optional<Answer> a = solve(numbers, run)) {
      return run.answered(*std::move(a));
    }
  } catch (const SmtFailure& e) {
    run.out.detail = e.message;
  }
  if (run.budget.cancelled()) run.out.detail = "cancelled";
  return run.answered(unknown("", run.out.detail));
}

}  // namespace

Answer byZ3(const Map& pairs, const std::string& name, bool exportSmt2, const Budget& budget) {
  return bySmt(exportSmt2, budget, [&] {
    const auto normal = Normal::create(pairs.digits(), pairs.params(), allExprs(pairs));
    return solved(normal, {name, exportSmt2, budget}, [&](Numbers numbers, Run& run) -> std::optional<Answer> {
      const PairForms p{pairs, *normal};
      const bool difference = numbers == Numbers::Integers && hasDifferenceForm(*normal);
      std::optional<Answer> a;
      if (difference && !Encoding::isLinear(*normal)) a = byDifference(p, /*bounded=*/false, run);
      if (!a && difference && !budget.spent()) a = byDifference(p, /*bounded=*/true, run);
      if (a || (numbers == Numbers::Integers && budget.spent())) return a;
      return byTwoCopies(p, numbers, run);
    });
  });
}

Answer byZ3(const Pointwise& p, const std::string& name, bool exportSmt2, const Budget& budget) {
  return bySmt(exportSmt2, budget, [&] {
    std::vector<Expr> exprs = goalExprs(p.goals);
    for (const Guard& g : p.assume) exprs.push_back(g.value);
    const auto normal = Normal::create(p.digits, p.params, exprs);
    return solved(normal, {name, exportSmt2, budget},
                  [&](Numbers numbers, Run& run) { return pointwiseBy(p, *normal, numbers, run); });
  });
}

}  // namespace tessera::prover
