#include "solver/emulate/equality/form_parts.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/work.h"

namespace tessera::graphene {

std::vector<Terms::Value> FormParts::inputs(Id x) const {
  std::vector<Id> open{x};
  std::unordered_set<Id> seen;
  std::vector<Terms::Value> out;
  while (!open.empty()) {
    const Id p = open.back();
    open.pop_back();
    if (!seen.insert(p).second) continue;
    spend(1 + static_cast<i64>(of_.polynomials_[p].size()));
    for (const auto& [m, times] : of_.polynomials_[p]) {
      open.push_back(of_.monomials_[m].exponent);
      for (const auto& [a, power] : of_.factorsOf(m)) {
        const Algebra::AtomRow& row = of_.atoms_[a];
        if (row.kind != Algebra::AtomKind::Input)
          open.insert(open.end(), row.parts.begin(), row.parts.end());
        else if (row.operation == 0)
          out.push_back(row.parts[0]);
      }
    }
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

FormParts::Id FormParts::power(Id atom, int power) {
  return of_.intern(Algebra::Polynomial{{of_.intern(std::vector<Algebra::Factor>{{atom, power}}, 0), 1.0}});
}

std::vector<FormParts::Id> FormParts::factors(Id monomial) {
  const std::span<const Algebra::Factor> all = of_.factorsOf(monomial);
  const std::vector<Algebra::Factor> powers(all.begin(), all.end());  // a copy: new monomials move them
  const Algebra::Polynomial exponents = of_.polynomials_[of_.monomials_[monomial].exponent];
  std::vector<Id> out;
  for (const auto& [atom, times] : powers) out.push_back(power(atom, times));
  for (const auto& one : exponents)
    out.push_back(of_.intern(Algebra::Polynomial{{of_.intern({}, of_.intern(Algebra::Polynomial{one})), 1.0}}));
  return out;
}

FormParts::Id FormParts::replaced(Id x, const Form& form, std::unordered_map<Id, Id>& known) {
  if (of_.isConstant(x)) return x;
  if (const auto at = known.find(x); at != known.end()) return at->second;
  const auto ofAtom = [&](Id a) {
    const Algebra::AtomRow row = of_.atoms_[a];  // a copy: new atoms move it
    if (row.kind == Algebra::AtomKind::Input) return row.operation == 0 ? form(row.parts[0]) : power(a, 1);
    std::vector<Id> parts;
    for (const Id p : row.parts) parts.push_back(replaced(p, form, known));
    switch (row.kind) {
      case Algebra::AtomKind::Unary:
        return of_.unary(of_.terms_.nameOf(row.operation), parts[0]);
      case Algebra::AtomKind::Binary:
        return of_.binary(of_.terms_.nameOf(row.operation), parts[0], parts[1]);
      case Algebra::AtomKind::Set:
        return of_.set(row.operation == 1, parts);
      default:
        return parts[0];
    }
  };
  const Algebra::Polynomial summands = of_.polynomials_[x];
  Id out = 0;
  for (const auto& [m, number] : summands) {
    spend(4);
    const std::span<const Algebra::Factor> all = of_.factorsOf(m);
    const std::vector<Algebra::Factor> powers(all.begin(), all.end());
    const Id exponent = of_.monomials_[m].exponent;
    Id one = of_.constant(number);
    for (const auto& [a, times] : powers) {
      Id base = ofAtom(a);
      if (times < 0) base = of_.inverse(base);
      for (unsigned left = static_cast<unsigned>(std::abs(times)); left > 0; left /= 2) {
        if (left % 2 != 0) one = of_.product(one, base);
        if (left > 1) base = of_.product(base, base);
      }
    }
    if (exponent != 0) one = of_.product(one, of_.exp(replaced(exponent, form, known)));
    out = of_.plus(out, one, 1);
  }
  return known[x] = out;
}

}  // namespace tessera::graphene
