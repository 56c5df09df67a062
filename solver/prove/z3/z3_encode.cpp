#ifdef TESSERA_HAVE_Z3

#include "solver/prove/z3/z3_encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "core/base/work_budget.h"

namespace tessera::prover {

namespace {

i128 magnitudeOf(const Interval& r) { return std::max(r.hi < 0 ? -r.hi : r.hi, r.lo < 0 ? -r.lo : r.lo); }

unsigned bitsFor(i128 v) {
  unsigned n = 0;
  while (v > 0) ++n, v /= 2;
  return n;
}

// The largest |partial sum| of a form over all orders of its terms.
i128 reachOf(const Normal& normal, const Form& f) {
  Interval total{0, 0};
  for (const auto& [monomial, coefficient] : f.terms) {
    Interval r{1, 1};
    for (int a : monomial) {
      const i128 m = magnitudeOf(normal.atoms()[a].range);
      r = r * Interval{0, m};
    }
    const i128 c = coefficient < 0 ? -i128{coefficient} : i128{coefficient};
    total = total + r * Interval{c, c};
  }
  return total.hi;
}

template <typename Visit>
void eachForm(const Normal& normal, Visit visit) {
  for (const Form& f : normal.forms()) visit(f);
  for (const Form& f : normal.digitForms()) visit(f);
  for (const Atom& a : normal.atoms()) {
    visit(a.a);
    visit(a.b);
  }
}

}  // namespace

Z3Encoding::Z3Encoding(z3::context& context, const Normal& normal, Z3Sort sort)
    : context_(context),
      normal_(normal),
      sort_(sort),
      width_(sort == Z3Sort::Bits ? widthFor(normal).value() : 0),
      params_(normal.atoms().size()) {}

std::optional<unsigned> Z3Encoding::widthFor(const Normal& normal) {
  i128 most = 1;
  eachForm(normal, [&](const Form& f) { most = std::max(most, reachOf(normal, f)); });
  for (const Atom& a : normal.atoms()) {
    most = std::max(most, magnitudeOf(a.range));
    if (a.kind == AtomKind::Quotient) most = std::max(most, magnitudeOf(normal.range(a.a)) + 2 * reachOf(normal, a.b));
  }
  const unsigned width = bitsFor(most) + 2;  // a sign, and room for one comparison c*q + c
  return width > 118 ? std::nullopt : std::optional(width);
}

bool Z3Encoding::hasXor(const Normal& normal) {
  return std::ranges::any_of(normal.atoms(), [](const Atom& a) { return a.kind == AtomKind::Xor; });
}

bool Z3Encoding::isLinear(const Normal& normal) {
  bool linear = true;
  eachForm(normal, [&](const Form& f) { linear = linear && f.isLinear(); });
  for (const Atom& a : normal.atoms()) linear = linear && (a.kind != AtomKind::Quotient || a.b.isConstant());
  return linear;
}

const char* Z3Encoding::logicFor(const Normal& normal, Z3Sort sort) {
  return sort == Z3Sort::Bits ? "QF_BV" : isLinear(normal) ? "QF_LIA" : "QF_NIA";
}

z3::expr Z3Encoding::constant(i128 value) const {
  const std::string text = fmt::format("{}", value);
  return sort_ == Z3Sort::Integers ? context_.int_val(text.c_str()) : context_.bv_val(text.c_str(), width_);
}

z3::expr Z3Encoding::variable(const std::string& name, const Interval& range, z3::expr_vector& facts) const {
  if (sort_ == Z3Sort::Bits && range.lo == 0) {
    // A narrow variable, widened: the solver sees that the high bits are 0.
    const unsigned bits = std::max(1u, bitsFor(range.hi));
    const z3::expr narrow = context_.bv_const(name.c_str(), bits);
    if (range.hi != (i128{1} << bits) - 1)
      facts.push_back(z3::ule(narrow, context_.bv_val(fmt::format("{}", range.hi).c_str(), bits)));
    return bits < width_ ? z3::zext(narrow, width_ - bits) : narrow;
  }
  const z3::expr v =
      sort_ == Z3Sort::Integers ? context_.int_const(name.c_str()) : context_.bv_const(name.c_str(), width_);
  facts.push_back(constant(range.lo) <= v && v <= constant(range.hi));
  return v;
}

z3::expr Z3Encoding::quotient(const Atom& atom, const std::string& name, const Copy& at, z3::expr_vector& facts) const {
  const z3::expr a = form(atom.a, at), b = form(atom.b, at);
  if (sort_ == Z3Sort::Bits && atom.b.isConstant()) {
    const i64 c = atom.b.constantTerm();
    if (isPowerOfTwo(c)) return z3::ashr(a, constant(std::countr_zero(static_cast<u64>(c))));
    if (normal_.range(atom.a).lo >= 0) return z3::udiv(a, b);
  }
  const z3::expr q = variable(name, atom.range, facts);
  const z3::expr floor = b * q;
  facts.push_back(floor <= a && a < floor + b);
  return q;
}

Z3Encoding::Copy Z3Encoding::copy(const std::string& suffix, z3::expr_vector& facts) {
  Copy at;
  for (std::size_t k = 0; k < normal_.atoms().size(); ++k) {
    const Atom& atom = normal_.atoms()[k];
    switch (atom.kind) {
      case AtomKind::Part:
        at.push_back(variable(fmt::format("d{}_{}{}", atom.source, atom.weight, suffix), atom.range, facts));
        break;
      case AtomKind::Param:
        if (!params_[k]) params_[k] = variable(fmt::format("param{}", atom.source), atom.range, facts);
        at.push_back(*params_[k]);
        break;
      case AtomKind::Quotient:
        at.push_back(quotient(atom, fmt::format("q{}{}", k, suffix), at, facts));
        break;
      case AtomKind::Xor:
        at.push_back(form(atom.a, at) ^ form(atom.b, at));
        break;
      case AtomKind::Negative: {
        const z3::expr a = form(atom.a, at);
        at.push_back(z3::ite(a < constant(0), a, constant(0)));
        break;
      }
    }
  }
  for (const Constraint& c : normal_.constraints()) facts.push_back(form(c.form, at) <= constant(c.hi));
  return at;
}

namespace {

// A chain of a thousand additions takes Z3 quadratic time when the context is destroyed after an interrupt. So a long
// sum is flat over integers and a balanced tree over bits.
constexpr std::size_t kChained = 16;

z3::expr sumOf(std::vector<z3::expr> terms, bool flat) {
  if (flat && terms.size() > kChained) {
    z3::expr_vector all(terms.front().ctx());
    for (const z3::expr& t : terms) all.push_back(t);
    return z3::sum(all);
  }
  if (terms.size() <= kChained) {
    z3::expr total = terms.front();
    for (std::size_t k = 1; k < terms.size(); ++k) total = total + terms[k];
    return total;
  }
  while (terms.size() > 1) {
    std::vector<z3::expr> halved;
    for (std::size_t k = 0; k + 1 < terms.size(); k += 2) halved.push_back(terms[k] + terms[k + 1]);
    if (terms.size() % 2 == 1) halved.push_back(terms.back());
    terms = std::move(halved);
  }
  return terms.front();
}

}  // namespace

z3::expr Z3Encoding::form(const Form& f, const Copy& at) const {
  std::vector<z3::expr> terms;
  spend(8 * static_cast<i64>(f.terms.size()) + 8);
  for (const auto& [monomial, coefficient] : f.terms) {
    std::optional<z3::expr> term;
    for (int a : monomial) term = term ? *term * at[a] : at[a];
    if (!term) {
      term = constant(coefficient);
    } else if (coefficient != 1) {
      term = constant(coefficient) * *term;
    }
    terms.push_back(*std::move(term));
  }
  return terms.empty() ? constant(0) : sumOf(std::move(terms), sort_ == Z3Sort::Integers);
}

z3::expr Z3Encoding::within(const Form& f, i64 lo, i64 hi, const Copy& at) const {
  const Interval r = normal_.range(f);
  z3::expr holds = context_.bool_val(true);
  if (r.hi < lo || r.lo > hi) return context_.bool_val(false);
  if (r.lo < lo) holds = holds && constant(lo) <= form(f, at);
  if (r.hi > hi) holds = holds && form(f, at) <= constant(hi);
  return holds;
}

std::optional<i64> valueIn(const z3::model& model, const z3::expr& term) {
  const z3::expr v = model.eval(term, true);
  if (v.is_bv()) {
    u64 u = 0;
    if (!v.is_numeral_u64(u)) return std::nullopt;
    return static_cast<i64>(u);
  }
  i64 i = 0;
  if (!v.is_numeral_i64(i)) return std::nullopt;
  return i;
}

std::vector<i64> atomValues(const Normal& normal, const z3::model& model, const Z3Encoding::Copy& at) {
  std::vector<i64> values(normal.atoms().size(), 0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const AtomKind kind = normal.atoms()[k].kind;
    if (kind == AtomKind::Part || kind == AtomKind::Param) values[k] = valueIn(model, at[k]).value_or(-1);
  }
  return values;
}

}  // namespace tessera::prover

#endif
