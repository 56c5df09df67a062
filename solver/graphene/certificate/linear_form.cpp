#include "solver/graphene/certificate/linear_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/work.h"

namespace tessera::graphene {
namespace {

constexpr int kDeepestForm = 400;
constexpr std::size_t kMostFormTerms = 4096;

bool addTo(LinearForm& to, const Monomial& monomial, i64 coefficient) {
  i64& have = to.terms[monomial];
  if (!addInto(have, coefficient)) return false;
  if (have == 0) to.terms.erase(monomial);
  return true;
}

}  // namespace

i64 LinearForm::constant() const {
  const auto at = terms.find({});
  return at == terms.end() ? 0 : at->second;
}

std::string print(const Monomial& monomial) { return fmt::format("{}", fmt::join(monomial, "*")); }

std::string print(const LinearForm& form) {
  std::vector<std::string> parts;
  for (const auto& [monomial, coefficient] : form.terms)
    if (!monomial.empty()) parts.push_back(fmt::format("{}*{}", coefficient, print(monomial)));
  std::ranges::sort(parts);
  if (form.constant() != 0 || parts.empty()) parts.push_back(std::to_string(form.constant()));
  return fmt::format("{}", fmt::join(parts, " + "));
}

std::optional<LinearForm> sum(const LinearForm& a, const LinearForm& b, i64 times) {
  LinearForm out = a;
  for (const auto& [monomial, coefficient] : b.terms) {
    const auto scaled = checkedMul(coefficient, times);
    if (!scaled || !addTo(out, monomial, *scaled)) return std::nullopt;
  }
  return out;
}

std::optional<LinearForm> product(const LinearForm& a, const LinearForm& b) {
  LinearForm out;
  if (a.terms.size() * b.terms.size() > kMostFormTerms) return std::nullopt;
  for (const auto& [x, p] : a.terms)
    for (const auto& [y, q] : b.terms) {
      Monomial both = x;
      both.insert(both.end(), y.begin(), y.end());
      std::ranges::sort(both);
      const auto coefficient = checkedMul(p, q);
      if (!coefficient || !addTo(out, both, *coefficient)) return std::nullopt;
    }
  return out;
}

std::optional<LinearForm> LinearForms::of(const Expr& e) { return at(e, 0); }

std::optional<LinearForm> LinearForms::at(const Expr& e, int depth) {
  if (depth > kDeepestForm) return std::nullopt;
  LinearForm out;
  if (e.op() == Op::Constant) {
    if (e.value() != 0) out.terms[{}] = e.value();
    return out;
  }
  if (e.op() == Op::Digit) {
    out.terms[{digits_[static_cast<std::size_t>(e.index())]}] = 1;
    return out;
  }
  if (e.op() != Op::Add && e.op() != Op::Mul && e.op() != Op::FloorDiv && e.op() != Op::Mod) return std::nullopt;
  const auto a = at(e.lhs(), depth + 1), b = at(e.rhs(), depth + 1);
  if (!a || !b || a->terms.size() + b->terms.size() > kMostFormTerms) return std::nullopt;
  if (e.op() == Op::Add) return sum(*a, *b, 1);
  if (e.op() == Op::Mul) return product(*a, *b);
  const i64 by = b->constant();
  if (b->terms.size() != 1 || by <= 0) return std::nullopt;
  const auto quotient = floor(*a, by);
  if (!quotient || e.op() == Op::FloorDiv) return quotient;
  return sum(*a, *quotient, -by);
}

std::optional<LinearForm> LinearForms::floor(const LinearForm& e, i64 by) {
  LinearForm out;
  Floor rest{{}, by};
  for (const auto& [monomial, coefficient] : e.terms) {
    const i64 whole = floorDiv(coefficient, by), part = floorMod(coefficient, by);
    if (whole != 0) out.terms[monomial] = whole;
    if (part != 0) rest.of.terms[monomial] = part;
  }
  // A number alone is below the divisor.
  if (rest.of.terms.empty() || (rest.of.terms.size() == 1 && rest.of.constant() != 0)) return out;
  // floor((floor(a/m) + n)/by) = floor((a + m*n)/(m*by))
  const auto atom = std::ranges::find_if(rest.of.terms, [](const auto& t) { return !t.first.empty(); });
  if (rest.of.terms.size() == (rest.of.constant() != 0 ? 2 : 1) && atom->first.size() == 1 && atom->second == 1) {
    const auto inner = floors_.find(atom->first.front());
    if (inner != floors_.end()) {
      LinearForm all = inner->second.of;
      const auto number = checkedMul(inner->second.by, rest.of.constant()), both = checkedMul(inner->second.by, by);
      if (!number || !both || (*number != 0 && !addTo(all, {}, *number))) return std::nullopt;
      const auto nested = floor(all, *both);
      return nested ? sum(out, *nested, 1) : std::nullopt;
    }
  }
  const std::string name = fmt::format("floor(({})/{})", print(rest.of), by);
  floors_.try_emplace(name, std::move(rest));
  if (!addTo(out, {name}, 1)) return std::nullopt;
  return out;
}

std::optional<LinearForm> LinearForms::substituted(const LinearForm& form,
                                                   const std::map<std::string, LinearForm>& values) {
  LinearForm out;
  for (const auto& [monomial, coefficient] : form.terms) {
    std::optional<LinearForm> part = LinearForm{{{{}, coefficient}}};
    for (const std::string& atom : monomial) {
      std::optional<LinearForm> value = LinearForm{{{{atom}, 1}}};
      if (const auto at = floors_.find(atom); at != floors_.end()) {
        const Floor floored = at->second;
        const auto inner = substituted(floored.of, values);
        value = inner ? floor(*inner, floored.by) : std::nullopt;
      } else if (const auto given = values.find(atom); given != values.end()) {
        value = given->second;
      }
      part = value ? product(*part, *value) : std::nullopt;
      if (!part) return std::nullopt;
    }
    const auto all = sum(out, *part, 1);
    if (!all) return std::nullopt;
    out = *all;
  }
  return out;
}

std::vector<LinearForm> LinearForms::definitions(const std::vector<LinearForm>& forms) const {
  std::vector<LinearForm> out, open = forms;
  std::map<std::string, const Floor*> known;
  // 0 <= form <= most
  const auto between = [&](const std::optional<LinearForm>& form, i64 most) {
    const auto rest = form ? sum(LinearForm{{{{}, most}}}, *form, -1) : std::nullopt;
    if (!rest) return;
    out.push_back(*form);
    out.push_back(*rest);
  };
  while (!open.empty()) {
    const LinearForm form = std::move(open.back());
    open.pop_back();
    for (const auto& [monomial, coefficient] : form.terms)
      for (const std::string& atom : monomial) {
        const auto at = floors_.find(atom);
        if (at == floors_.end() || !known.emplace(atom, &at->second).second) continue;
        between(sum(at->second.of, LinearForm{{{{atom}, 1}}}, -at->second.by), at->second.by - 1);
        open.push_back(at->second.of);
      }
  }
  // floor(b/(m*k)) = floor((floor(a/m) + n)/k), if b = a + m*n
  for (const auto& [inner, finer] : known)
    for (const auto& [outer, coarser] : known) {
      spend();
      const i64 m = finer->by, k = coarser->by / m;
      if (k < 2 || coarser->by % m != 0) continue;
      auto n = sum(coarser->of, finer->of, -1);
      if (!n || !std::ranges::all_of(n->terms, [m](const auto& term) { return term.second % m == 0; })) continue;
      for (auto& term : n->terms) term.second /= m;
      const auto quotient = sum(*n, LinearForm{{{{inner}, 1}}}, 1);
      between(quotient ? sum(*quotient, LinearForm{{{{outer}, 1}}}, -k) : std::nullopt, k - 1);
    }
  return out;
}

}  // namespace tessera::graphene
