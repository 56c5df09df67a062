#include "solver/emulate/equality/same_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cfloat>
#include <iterator>
#include <set>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "solver/emulate/numbers.h"

namespace tessera::graphene {

namespace {

constexpr double kNearInteger = 8, kFarInteger = 1e6;  // integers: -8 to 7, or the type's range up to 1e6

double single(double x) {
  if (x > FLT_MAX) return HUGE_VAL;
  if (x < -FLT_MAX) return -HUGE_VAL;
  return static_cast<double>(static_cast<float>(x));
}

double converted(const std::string& name, double a) {
  const auto type = numberFormat(std::string_view(name).substr(name.find(' ') + 1));
  if (!type) return Numbers::undefined();
  return name.starts_with("near ") ? a : name.starts_with("mod ") ? wrapped(a, *type) : rounded(a, *type);
}

constexpr i64 kAlgebraSteps = 20'000'000;    // for one pair
constexpr std::size_t kManyBytes = 1 << 20;  // of terms
constexpr std::size_t kMostMonomials = 12'000'000;
constexpr double kRounding = 1e-9, kFar = 1e5, kLarge = 3;
constexpr std::size_t kMostSpecial = 8;

std::set<Terms::Value> inputsOf(Terms& terms, Terms::Value v) {
  std::set<Terms::Value> seen, out;
  operandsFirst(
      terms, v, [&](Terms::Value x) { return seen.count(x) != 0; },
      [&](Terms::Value x, const Terms::Sum&) {
        spend(1);
        seen.insert(x);
        if (terms.node(x).kind == Terms::Kind::Input) out.insert(x);
      });
  return out;
}

// Both differ by more than rounding, measured by the largest intermediate value.
bool apart(double a, double b, double most) {
  return std::isfinite(a) && std::isfinite(b) && std::isfinite(most) && std::fabs(a - b) > kRounding * (1 + most);
}

}  // namespace

double TermNumbers::random(Terms& terms, Terms::Value v, const Terms::Node& input) const {
  if (v == options_.special) return options_.value;
  if (input.isGuard()) return 1;
  u64 h = splitMix(options_.seed);
  h = splitMix(h ^ static_cast<u64>(input.operation));
  h = splitMix(h ^ static_cast<u64>(input.copy));
  h = splitMix(h ^ static_cast<u64>(input.element));
  const double unit = 2 * static_cast<double>(h >> 11) / 9007199254740992.0 - 1;
  const NumberFormat* type = terms.typeOf(input.operation);
  if (type == nullptr || type->precision > 0) return options_.middle + options_.scale * unit;
  return rounded(std::floor(options_.middle + (options_.seed % 2 == 0 ? kFarInteger : kNearInteger) * unit), *type);
}

double TermNumbers::compute(Terms& terms, Terms::Value v, const Terms::Sum& sum) {
  const Terms::Node n = terms.node(v);
  const auto known = [&](Terms::Value x) { return known_.at(x); };
  switch (n.kind) {
    case Terms::Kind::Undefined:
      return Numbers::undefined();
    case Terms::Kind::Input:
      return random(terms, v, n);
    case Terms::Kind::Constant:
      return n.number;
    case Terms::Kind::Unary:
      if (terms.nameOf(n.operation) == "whole") return std::floor(known(n.a));
      if (terms.nameOf(n.operation).find(' ') != std::string::npos)
        return converted(terms.nameOf(n.operation), known(n.a));
      return Numbers::unary(Numbers::operation(terms.nameOf(n.operation)), known(n.a));
    case Terms::Kind::Binary:
      if (terms.nameOf(n.operation) == "whole /") return std::trunc(known(n.a) / known(n.b));
      if (terms.nameOf(n.operation) == "<") return known(n.a) < known(n.b) ? 1 : 0;
      if (terms.nameOf(n.operation) == "==") return known(n.a) == known(n.b) ? 1 : 0;
      [[fallthrough]];
    case Terms::Kind::Set:
      return Numbers::binary(Numbers::operation(terms.nameOf(n.operation)), known(n.a), known(n.b));
    case Terms::Kind::Sum: {
      double out = sum.constant;
      for (const auto& [x, times] : sum.terms) out += known(x) * static_cast<double>(times);
      for (const auto& [p, times] : sum.products) out += known(p.first) * known(p.second) * static_cast<double>(times);
      return out;
    }
  }
  return Numbers::undefined();
}

double TermNumbers::of(Terms& terms, Terms::Value v) {
  operandsFirst(
      terms, v, [&](Terms::Value x) { return known_.count(x) != 0; },
      [&](Terms::Value x, const Terms::Sum& sum) {
        spend(static_cast<i64>(sum.products.size()) + 4);
        double value = compute(terms, x, sum);
        if (options_.single) value = single(value);
        if (terms.node(x).kind != Terms::Kind::Constant)
          most_ = std::isnan(value) ? HUGE_VAL : std::max(most_, std::fabs(value));
        known_.emplace(x, value);
      });
  return known_.at(v);
}

SameValue::SameValue(Terms& terms)
    : terms_(terms),
      algebra_(terms),
      around_(terms),
      renaming_(terms),
      farBelow_({.seed = 1, .middle = -kFar}),
      farAbove_({.seed = 1, .middle = kFar}) {
  for (int seed = 1; seed <= kSeeds; ++seed) numbers_.emplace_back(TermNumbers::Options{static_cast<u64>(seed)});
}

bool SameValue::equalAround(const Renaming::Pair& pair) {
  if (!aroundUse_.pays()) return false;
  std::vector<Terms::Value> open;
  const auto walk = [&](Terms::Value from, ValueTable& seen, const auto& stop) {
    seen.clear();
    open.assign(1, from);
    while (!open.empty()) {
      const Terms::Value x = open.back();
      open.pop_back();
      if (seen.has(x) || around_.knows(x)) continue;
      spend(1);
      seen.set(x, x);
      if (!stop(x)) eachPart(terms_, x, [&](Terms::Value part) { open.push_back(part); });
    }
  };
  walk(pair.first, below_[0], [](Terms::Value) { return false; });
  walk(pair.second, below_[1], [&](Terms::Value x) {
    if (!below_[0].has(x)) return false;
    around_.close(x);
    return true;
  });
  try {
    const WorkBudget limit({.steps = kAlgebraSteps});
    const bool same = around_.equal(pair.first, pair.second);
    if (same) algebra_.addLaws(around_);
    return aroundUse_.note(same);
  } catch (const OutOfBudget& end) {
    if (!end.counted()) throw;
    return aroundUse_.note(false);
  }
}

bool SameValue::renamed(const Renaming::Pair& pair) {
  if (!renamingUse_.pays()) return false;
  for (std::size_t k = 0; k < proved_.size(); ++k) {
    if (!renaming_.maps(proved_[k], pair)) continue;
    // The next element has more in common with this one than with one before it.
    proved_[k] = pair;
    std::rotate(proved_.begin(), proved_.begin() + static_cast<std::ptrdiff_t>(k),
                proved_.begin() + static_cast<std::ptrdiff_t>(k + 1));
    return renamingUse_.note(true);
  }
  return renamingUse_.note(false);
}

bool SameValue::equal(Terms::Value a, Terms::Value b) {
  if (terms_.equal(a, b)) return true;
  if (algebraGone_ || a == Terms::undefined() || b == Terms::undefined()) return false;
  if (usedAlgebra_ && (renamed({a, b}) || equalAround({a, b}))) return true;
  const auto isProved = [&] {
    if (proved_.size() == kMostProved) proved_.pop_back();
    proved_.insert(proved_.begin(), {a, b});
    return usedAlgebra_ = true;
  };
  // The normal forms of many terms take long, and the two may differ only near the top.
  if (!usedAlgebra_ && terms_.bytes() > kManyBytes && equalAround({a, b})) return isProved();
  try {
    const WorkBudget limit({.steps = kAlgebraSteps});
    const bool same = algebra_.equal(a, b);
    algebraGone_ = algebra_.size() > kMostMonomials;
    return same && isProved();
  } catch (const OutOfBudget& end) {
    if (!end.counted()) throw;
  }
  if (equalAround({a, b})) return isProved();
  algebraGone_ = true;
  return false;
}

std::optional<SameValue::Difference> SameValue::differ(Terms::Value wanted, Terms::Value got, int seed) {
  TermNumbers& numbers = numbers_[seed - 1];
  const double a = numbers.of(terms_, wanted), b = numbers.of(terms_, got);
  if (std::isnan(a) || a == b) return std::nullopt;
  if (std::fabs(a - b) <= kRounding * (1 + std::max(std::fabs(a), std::fabs(b)))) return std::nullopt;
  return Difference{a, b, fmt::format("random inputs between -1 and 1, seed {}", seed)};
}

std::optional<SameValue::Difference> SameValue::differFarOut(Terms::Value wanted, Terms::Value got) {
  const std::set<Terms::Value> a = inputsOf(terms_, wanted), b = inputsOf(terms_, got);
  std::vector<Terms::Value> one;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(one));
  for (std::size_t k = 0; k < std::min(one.size(), kMostSpecial); ++k)
    for (const double value : {kLarge, -kLarge}) {
      TermNumbers numbers({.seed = 1, .special = one[k], .value = value});
      const double x = numbers.of(terms_, wanted), y = numbers.of(terms_, got);
      if (apart(x, y, numbers.most()))
        return Difference{x, y, fmt::format("random inputs between -1 and 1, seed 1, one of them {}", value)};
    }
  for (const bool below : {true, false}) {
    TermNumbers& numbers = below ? farBelow_ : farAbove_;
    const double x = numbers.of(terms_, wanted), y = numbers.of(terms_, got);
    if (apart(x, y, numbers.most()))
      return Difference{x, y, fmt::format("random inputs around {}, seed 1", below ? -kFar : kFar)};
  }
  return std::nullopt;
}

std::optional<SameValue::Difference> SameValue::differ(Terms::Value wanted, Terms::Value got) {
  for (int seed = 1; seed <= kSeeds; ++seed)
    if (auto d = differ(wanted, got, seed)) return d;
  return differFarOut(wanted, got);
}

std::string SameValue::laws() const {
  std::string out = "sums and products in any order";
  const std::vector<std::string> more = algebra_.laws();
  if (!more.empty()) out += fmt::format(", {}", fmt::join(more, ", "));
  return out;
}

}  // namespace tessera::graphene
