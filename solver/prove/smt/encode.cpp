#include "solver/prove/smt/encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "core/base/work_budget.h"

namespace tessera::prover::smt {

namespace {

i128 magnitudeOf(const Interval& r) { return std::max(r.hi < 0 ? -r.hi : r.hi, r.lo < 0 ? -r.lo : r.lo); }

int bitsFor(i128 v) {
  int n = 0;
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

Encoding::Encoding(Terms& terms, const Normal& normal, Numbers numbers)
    : terms_(terms),
      normal_(normal),
      numbers_(numbers),
      width_(numbers == Numbers::Bits ? widthFor(normal).value() : 0),
      params_(normal.atoms().size()) {}

std::optional<int> Encoding::widthFor(const Normal& normal) {
  i128 most = 1;
  eachForm(normal, [&](const Form& f) { most = std::max(most, reachOf(normal, f)); });
  for (const Atom& a : normal.atoms()) {
    most = std::max(most, magnitudeOf(a.range));
    if (a.kind == AtomKind::Quotient) most = std::max(most, magnitudeOf(normal.range(a.a)) + 2 * reachOf(normal, a.b));
  }
  const int width = bitsFor(most) + 2;  // a sign, and room for one comparison c*q + c
  return width > 118 ? std::nullopt : std::optional(width);
}

bool Encoding::hasXor(const Normal& normal) {
  return std::ranges::any_of(normal.atoms(), [](const Atom& a) { return a.kind == AtomKind::Xor; });
}

bool Encoding::isLinear(const Normal& normal) {
  bool linear = true;
  eachForm(normal, [&](const Form& f) { linear = linear && f.isLinear(); });
  for (const Atom& a : normal.atoms()) linear = linear && (a.kind != AtomKind::Quotient || a.b.isConstant());
  return linear;
}

const char* Encoding::logicFor(const Normal& normal, Numbers numbers) {
  return numbers == Numbers::Bits ? "QF_BV" : isLinear(normal) ? "QF_LIA" : "QF_NIA";
}

Term Encoding::constant(i128 value) const { return terms_.number(value, sort()); }

Term Encoding::variable(const std::string& name, const Interval& range, std::vector<Term>& facts) const {
  if (numbers_ == Numbers::Bits && range.lo == 0) {
    // A narrow variable, widened: the solver sees that the high bits are 0.
    const int bits = std::max(1, bitsFor(range.hi));
    const Term narrow = terms_.variable(name, Sort::bits(bits));
    if (range.hi != (i128{1} << bits) - 1)
      facts.push_back(terms_.unsignedAtMost(narrow, terms_.number(range.hi, narrow)));
    return bits < width_ ? terms_.widened(narrow, width_) : narrow;
  }
  const Term v = terms_.variable(name, sort());
  const Term above = terms_.atMost(constant(range.lo), v);
  facts.push_back(terms_.all({above, terms_.atMost(v, constant(range.hi))}));
  return v;
}

Term Encoding::quotient(const Atom& atom, const std::string& name, const Copy& at, std::vector<Term>& facts) const {
  const Term a = form(atom.a, at), b = form(atom.b, at);
  if (numbers_ == Numbers::Bits && atom.b.isConstant()) {
    const i64 c = atom.b.constantTerm();
    if (isPowerOfTwo(c)) return terms_.shiftedRight(a, constant(std::countr_zero(static_cast<u64>(c))));
    if (normal_.range(atom.a).lo >= 0) return terms_.divided(a, b);
  }
  const Term q = variable(name, atom.range, facts);
  const Term floor = terms_.product(b, q);
  const Term above = terms_.atMost(floor, a);
  facts.push_back(terms_.all({above, terms_.below(a, terms_.sum({floor, b}))}));
  return q;
}

Encoding::Copy Encoding::copy(const std::string& suffix, std::vector<Term>& facts) {
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
      case AtomKind::Xor: {
        const Term a = form(atom.a, at);
        at.push_back(terms_.exclusiveOr(a, form(atom.b, at)));
        break;
      }
      case AtomKind::Negative: {
        const Term a = form(atom.a, at);
        const Term zero = constant(0);
        at.push_back(terms_.choice(terms_.below(a, zero), a, zero));
        break;
      }
    }
  }
  for (const Constraint& c : normal_.constraints()) {
    const Term f = form(c.form, at);
    facts.push_back(terms_.atMost(f, constant(c.hi)));
  }
  return at;
}

namespace {

// A chain of a thousand additions takes Z3 quadratic time when the context is destroyed after an interrupt. So a long
// sum is flat over integers and a balanced tree over bits.
constexpr std::size_t kChained = 16;

Term sumOf(Terms& in, std::vector<Term> terms, bool flat) {
  if (flat && terms.size() > kChained) return in.sum(terms);
  if (terms.size() <= kChained) {
    Term total = terms.front();
    for (std::size_t k = 1; k < terms.size(); ++k) total = in.sum({total, terms[k]});
    return total;
  }
  while (terms.size() > 1) {
    std::vector<Term> halved;
    for (std::size_t k = 0; k + 1 < terms.size(); k += 2) halved.push_back(in.sum({terms[k], terms[k + 1]}));
    if (terms.size() % 2 == 1) halved.push_back(terms.back());
    terms = std::move(halved);
  }
  return terms.front();
}

}  // namespace

Term Encoding::form(const Form& f, const Copy& at) const {
  std::vector<Term> terms;
  spend(8 * static_cast<i64>(f.terms.size()) + 8);
  for (const auto& [monomial, coefficient] : f.terms) {
    std::optional<Term> term;
    for (int a : monomial) term = term ? terms_.product(*term, at[a]) : at[a];
    if (!term) {
      term = constant(coefficient);
    } else if (coefficient != 1) {
      term = terms_.product(constant(coefficient), *term);
    }
    terms.push_back(*term);
  }
  return terms.empty() ? constant(0) : sumOf(terms_, std::move(terms), numbers_ == Numbers::Integers);
}

Term Encoding::within(const Form& f, i64 lo, i64 hi, const Copy& at) const {
  const Interval r = normal_.range(f);
  if (r.hi < lo || r.lo > hi) return terms_.truth(false);
  std::vector<Term> sides;
  if (r.lo < lo) {
    const Term least = constant(lo);
    sides.push_back(terms_.atMost(least, form(f, at)));
  }
  if (r.hi > hi) {
    const Term value = form(f, at);
    sides.push_back(terms_.atMost(value, constant(hi)));
  }
  return terms_.all(std::move(sides));
}

}  // namespace tessera::prover::smt
