#include <algorithm>

#include "core/base/arith.h"
#include "core/base/work.h"
#include "solver/prove/structure/normal.h"

namespace tessera::prover {

namespace {

constexpr i128 kWide = i128{1} << 120;
constexpr std::size_t kMaxTerms = 4096;

i128 saturated(i128 v) { return std::clamp(v, -kWide, kWide); }

i128 times(i128 a, i128 b) {
  i128 r = 0;
  if (__builtin_mul_overflow(a, b, &r)) return (a < 0) == (b < 0) ? kWide : -kWide;
  return saturated(r);
}

}  // namespace

Form Form::constant(i64 value) { return value == 0 ? Form{} : Form{{{Monomial{}, value}}}; }

Form Form::atom(int number) { return {{{Monomial{number}, 1}}}; }

i64 Form::constantTerm() const {
  const auto it = terms.find({});
  return it == terms.end() ? 0 : it->second;
}

bool Form::isConstant() const { return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()); }

bool Form::isLinear() const {
  return std::ranges::all_of(terms, [](const auto& t) { return t.first.size() <= 1; });
}

bool accumulate(Form& form, const Monomial& monomial, i64 coefficient) {
  spend();
  auto [place, isNew] = form.terms.try_emplace(monomial, coefficient);
  if (!isNew) {
    const auto total = checkedAdd(place->second, coefficient);
    if (!total) return false;
    place->second = *total;
  }
  if (place->second == 0) form.terms.erase(place);
  return true;
}

std::optional<Form> sum(const Form& a, const Form& b) {
  spend(static_cast<i64>(a.terms.size()));
  Form r = a;
  for (const auto& [monomial, coefficient] : b.terms)
    if (!accumulate(r, monomial, coefficient)) return std::nullopt;
  return r;
}

std::optional<Form> scaled(const Form& a, i64 factor) {
  spend(static_cast<i64>(a.terms.size()));
  Form r;
  if (factor == 0) return r;
  for (const auto& [monomial, coefficient] : a.terms) {
    const auto c = checkedMul(coefficient, factor);
    if (!c) return std::nullopt;
    r.terms[monomial] = *c;
  }
  return r;
}

std::optional<Form> product(const Form& a, const Form& b) {
  if (a.terms.size() * b.terms.size() > kMaxTerms) return std::nullopt;
  Form r;
  for (const auto& [ma, ca] : a.terms) {
    for (const auto& [mb, cb] : b.terms) {
      Monomial m(ma.size() + mb.size());
      std::merge(ma.begin(), ma.end(), mb.begin(), mb.end(), m.begin());
      const auto c = checkedMul(ca, cb);
      if (!c || !accumulate(r, m, *c)) return std::nullopt;
    }
  }
  return r;
}

Interval operator+(Interval a, Interval b) { return {saturated(a.lo + b.lo), saturated(a.hi + b.hi)}; }

Interval operator*(Interval a, Interval b) {
  const auto [lo, hi] = std::minmax({times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)});
  return {lo, hi};
}

i128 floorDivWide(i128 a, i128 b) {
  const i128 q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

}  // namespace tessera::prover
