#include "solver/graphene/certificate/goal_proofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/mapped.h"
#include "core/expr/walk.h"
#include "solver/graphene/certificate/goals.h"

namespace tessera::graphene {
namespace {

constexpr std::size_t kMostFormText = 300;
constexpr int kMostNodes = 500, kFewNodes = 40;
constexpr std::size_t kMostProducts = 60;

// The value of a * b, which is >= 0 as both are.
struct Product {
  LinearForm a, b, value;
};

// Of a size U >= 1, with every inequality of a variable that is multiplied by U somewhere: (3 - x) * (U - 1).
std::vector<Product> productsOf(const std::vector<LinearForm>& known) {
  std::set<std::pair<std::string, std::string>> factors;
  const auto isLeast = [&](const LinearForm& size) { return std::ranges::find(known, size) != known.end(); };
  for (const LinearForm& form : known)
    for (const auto& [monomial, coefficient] : form.terms)
      if (monomial.size() == 2)
        for (const bool swapped : {false, true}) factors.emplace(monomial[swapped ? 1 : 0], monomial[swapped ? 0 : 1]);
  std::vector<Product> out;
  for (const auto& [variable, size] : factors) {
    const LinearForm least{{{{size}, 1}, {{}, -1}}};
    if (!isLeast(least)) continue;
    for (const LinearForm& form : known) {
      if (form.terms.size() > 3 || form.terms.count({variable}) == 0 || out.size() >= kMostProducts) continue;
      auto value = product(form, least);
      if (value) out.push_back({form, least, *std::move(value)});
    }
  }
  return out;
}

}  // namespace

LinearForm lessOne(const LinearForm& form, i64 times) {
  LinearForm out;
  for (const auto& [monomial, coefficient] : form.terms) out.terms[monomial] = coefficient * times;
  const i64 constant = (out.terms[Monomial{}] -= 1);
  if (constant == 0) out.terms.erase(Monomial{});
  return out;
}

void append(Conditions& to, const Conditions& more) { to.insert(to.end(), more.begin(), more.end()); }

void equate(Conditions& to, const Expr& a, const Expr& b) {
  to.push_back(a - b);
  to.push_back(b - a);
}

void equate(Conditions& to, const std::vector<Expr>& a, const std::vector<Expr>& b) {
  for (std::size_t d = 0; d < a.size(); ++d) equate(to, a[d], b[d]);
}

GoalProofs::GoalProofs(const Z3Kernel& of, Obligation o, const Program& stated)
    : kernel(of), spec(*of.kernel().spec), instances(of, stated), forms(instances.names()), nodes_(kMostNodes) {
  out.obligation = o;
}

bool GoalProofs::fail(std::string why) {
  if (out.open.empty()) out.open = std::move(why);
  return false;
}

void GoalProofs::forget(const Mark& mark) {
  out.goals.erase(out.goals.begin() + static_cast<std::ptrdiff_t>(mark.goals), out.goals.end());
  out.choices.erase(out.choices.begin() + static_cast<std::ptrdiff_t>(mark.choices), out.choices.end());
}

std::optional<CertifiedGoal> GoalProofs::refuted(const std::string& name, const Conditions& conditions,
                                                 const LinearForm& wrong, int nodes) {
  std::vector<LinearForm> all = {wrong};
  all.insert(all.end(), cases.begin(), cases.end());
  for (const Conditions* list : {&instances.sizes(), &conditions})
    for (const Expr& e : *list)
      if (auto form = forms.of(e)) all.push_back(*std::move(form));
  const std::vector<LinearForm> meaning = forms.definitions(all);
  all.insert(all.end(), meaning.begin(), meaning.end());
  auto proof = refute(all, nodes);
  std::vector<Product> products;
  if (!proof) {
    products = productsOf(all);
    for (const Product& p : products) all.push_back(p.value);
    if (!products.empty()) proof = refute(all, nodes);
  }
  if (!proof) return std::nullopt;
  CertifiedGoal goal{name, withoutUnused(all, *std::move(proof)), {}};
  for (std::size_t k = 0; k < goal.why.uses.size(); ++k) {
    const auto used = std::ranges::find(products, goal.why.uses[k], &Product::value);
    if (used != products.end()) goal.products.emplace(k, std::pair(used->a, used->b));
  }
  return goal;
}

bool GoalProofs::prove(const std::string& name, const Conditions& conditions, const std::optional<LinearForm>& wrong) {
  if (!wrong) return fail("goal " + name + " is no linear question");
  auto goal = refuted(name, conditions, *wrong, nodes_);
  if (!goal && nodes_ < kMostNodes) return false;  // it is tried again
  if (!goal)
    return fail(fmt::format("no sum of inequalities contradicts goal {}: {} >= 0", name,
                            print(*wrong).substr(0, kMostFormText)));
  out.goals.push_back(*std::move(goal));
  return true;
}

bool GoalProofs::holds(const Conditions& conditions, const LinearForm& form, bool oneSum) {
  return refuted({}, conditions, lessOne(form, -1), oneSum ? 1 : kFewNodes).has_value();
}

// a - b, or b - a, minus 1.
std::optional<LinearForm> GoalProofs::beyond(const Expr& a, const Values& values, const Expr& b, bool more) {
  const auto x = forms.of(a), y = forms.of(b);
  const auto there = x ? forms.substituted(*x, values) : std::nullopt;
  if (!there || !y) return std::nullopt;
  const auto apart = more ? sum(*there, *y, -1) : sum(*y, *there, -1);
  return apart ? sum(*apart, LinearForm{{{{}, 1}}}, -1) : std::nullopt;
}

bool GoalProofs::proveEqual(const std::string& name, const Conditions& given, const Expr& a, const Values& values,
                            const Expr& b) {
  return prove(name + "/more", given, beyond(a, values, b, true)) &&
         prove(name + "/less", given, beyond(a, values, b, false));
}

bool GoalProofs::agree(const std::string& name, Conditions all, const std::vector<Expr>& a, const std::vector<Expr>& b,
                       bool symmetric, const AgreeHelpers& helpers) {
  struct Pair {
    std::string name;
    Expr a, b;
  };
  std::vector<Pair> left, more;
  for (std::size_t k = 0; k < a.size(); ++k) left.push_back({fmt::format("{}/{}", name, k), a[k], b[k]});
  for (std::size_t k = 0; k < helpers.a.size(); ++k)
    more.push_back({fmt::format("{}/helper{}", name, k), helpers.a[k], helpers.b[k]});
  const auto proved = [&](const Pair& p) {
    const Mark before = mark();
    const bool ok =
        prove(p.name + "/less", all, p.b - p.a - 1) && (symmetric || prove(p.name + "/more", all, p.a - p.b - 1));
    if (ok) equate(all, p.a, p.b);
    if (!ok) forget(before);
    return ok;
  };
  const auto decided = [&](std::vector<Pair>& pairs, int nodes) {
    nodes_ = nodes;
    while (!pairs.empty() && std::erase_if(pairs, proved) > 0) {
    }
    nodes_ = kMostNodes;
    return pairs.empty();
  };
  if (decided(left, 1)) return true;
  decided(more, kFewNodes);
  return decided(left, 1) || decided(left, kMostNodes);
}

bool GoalProofs::isInstance(const std::string& name, const Conditions& given, const Conditions& conditions,
                            const Values& values, const std::vector<Expr>& axes, const std::vector<Expr>& place) {
  int number = 0;
  for (const Expr& c : conditions)
    if (!prove(fmt::format("{}/exists/{}", name, number++), given, beyond(c, values, Expr::constant(0), false)))
      return false;
  for (std::size_t d = 0; d < axes.size(); ++d)
    if (!proveEqual(fmt::format("{}/at/{}", name, d), given, axes[d], values, place[d])) return false;
  return true;
}

std::vector<Expr> GoalProofs::sizeAxes() const {
  std::vector<Expr> axes;
  for (std::size_t n = 0; n < instances.sizeCount(); ++n) axes.push_back(Expr::digit(static_cast<int>(n)));
  return axes;
}

std::optional<GoalProofs::Inverse> GoalProofs::inverted(const std::vector<Expr>& axes, const std::vector<i64>& extents,
                                                        const Conditions& conditions) const {
  // An axis of digits that are axes themselves tells nothing more.
  std::set<i64> known;
  std::vector<bool> alone;
  for (const Expr& e : axes) alone.push_back(e.op() == Op::Digit && known.insert(e.index()).second);
  std::vector<Axis> all;
  std::vector<Expr> kept;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto other = [&](const Expr& e) { return e.op() == Op::Digit && known.count(e.index()) == 0; };
    if (!alone[a] && !anyLeaf(axes[a], other)) continue;
    all.push_back({fmt::format("a{}", a), axes[a], extents[a]});
    kept.push_back(Expr::digit(static_cast<int>(a)));
  }
  std::vector<Guard> guards;
  for (const Expr& e : conditions) guards.push_back({e, 0, Box::kFar});
  const auto map = Map::create(instances.digits(), all, guards);
  const auto writer = map ? writerOf(*map) : std::nullopt;
  if (!writer) return std::nullopt;
  const auto sizes = static_cast<std::ptrdiff_t>(instances.sizeCount());
  Inverse made{{instances.names().begin() + sizes, instances.names().end()}, {}};
  for (std::size_t d = static_cast<std::size_t>(sizes); d < writer->digits.size(); ++d)
    made.digits.push_back(substitute(writer->digits[d], kept));
  return made;
}

std::vector<i64> GoalProofs::reachOf(const std::vector<Expr>& axes) const {
  return mapped<i64>(axes, [&](const Expr& e) { return instances.most(e) + 1; });
}

GoalProofs::Values GoalProofs::valuesAt(const Inverse& inverse, const std::vector<Expr>& axes, ChosenInstance& chosen) {
  Values known;
  for (std::size_t d = 0; d < inverse.names.size(); ++d) {
    const Expr value = instances.simplest(substitute(inverse.digits[d], axes));
    chosen.values.emplace_back(inverse.names[d], instances.text(value));
    if (const auto form = forms.of(value)) known[inverse.names[d]] = *form;
  }
  return known;
}

GoalProofs::Values GoalProofs::choose(const std::string& name, std::size_t s, const Inverse& inverse,
                                      const std::vector<Expr>& axes) {
  ChosenInstance chosen;
  chosen.name = name;
  chosen.site = static_cast<int>(s);
  Values known = valuesAt(inverse, axes, chosen);
  out.choices.push_back(std::move(chosen));
  return known;
}

std::optional<GoalProofs::Contributions> GoalProofs::contributions(const SiteCopy& a) {
  const Site& s = *a.site;
  if (!isProduct() || s.spec->kind != SpecKind::MatMul || s.accesses.size() != 3) return std::nullopt;
  Contributions made;
  for (const Access& access : s.accesses) {
    made.spots.push_back(instances.spot(a, access));
    const bool one = std::ranges::all_of(modesOf(access.view), [](const Mode& m) { return m.size.isConstant(1); });
    if (!one || !kernel.sites().of(access).operand || made.spots.back().coordinate.size() != 2) return std::nullopt;
  }
  made.at = {made.spots[0].coordinate[0], made.spots[0].coordinate[1], made.spots[1].coordinate[1]};
  made.extents = instances.extentsOf(s.accesses[0].storage);
  made.extents.push_back(instances.extentsOf(s.accesses[1].storage)[1]);
  return made;
}

ObligationCertificate goalsOf(const Z3Kernel& kernel, Obligation obligation, const Program& stated) {
  GoalProofs proofs(kernel, obligation, stated);
  const auto decide = [&] {
    switch (obligation) {
      case Obligation::Frame:
        return true;
      case Obligation::Bounds:
        return boundsGoals(proofs);
      case Obligation::Coverage:
        return coverageGoals(proofs);
      case Obligation::Uniqueness:
        return uniquenessGoals(proofs);
      case Obligation::Races:
        return raceGoals(proofs);
      case Obligation::Definedness:
        return definednessGoals(proofs);
      case Obligation::Value:
        return valueGoals(proofs);
      default:
        return proofs.fail("no method");
    }
  };
  std::string fault = proofs.instances.fault();
  const bool alone =
      obligation != Obligation::Bounds && obligation != Obligation::Frame && obligation != Obligation::Coverage;
  const bool several = obligation == Obligation::Races || obligation == Obligation::Definedness;
  if (fault.empty() && alone) fault = proofs.instances.together(several);
  proofs.out.complete = fault.empty() ? decide() : proofs.fail(fault);
  return std::move(proofs.out);
}

}  // namespace tessera::graphene
