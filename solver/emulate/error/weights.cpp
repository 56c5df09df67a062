#include "solver/emulate/error/weights.h"

#include <algorithm>

#include "core/base/work_budget.h"

namespace tessera::graphene {
namespace {

constexpr int kMostDepth = 8;
constexpr std::size_t kMostFactors = 4;  // of a sum that may be a scaled difference

}  // namespace

// ---- sets

Weights::SetId Weights::set(std::vector<Term> of) {
  const auto [at, fresh] = setOf_.try_emplace(std::move(of), static_cast<SetId>(sets_.size()));
  if (fresh) sets_.push_back(at->first);
  return at->second;
}

Weights::SetId Weights::united(SetId a, SetId b, bool disjoint) {
  if (a > b) std::swap(a, b);
  if (a == 0) return b;
  if (a == b) return disjoint ? -1 : a;
  const auto known = unions_.find({a, b});
  const std::size_t both = sets_[a].size() + sets_[b].size();
  if (known != unions_.end())
    return disjoint && known->second >= 0 && sets_[known->second].size() != both ? -1 : known->second;
  spend(static_cast<i64>(both) + 1);
  std::vector<Term> all;
  std::ranges::set_union(sets_[a], sets_[b], std::back_inserter(all));
  const SetId out = set(std::move(all));
  unions_[{a, b}] = out;
  return disjoint && sets_[out].size() != both ? -1 : out;
}

bool Weights::within(SetId a, SetId b) const {
  if (a == b) return true;
  spend(static_cast<i64>(sets_[b].size() / 8) + 1);
  return std::includes(sets_[b].begin(), sets_[b].end(), sets_[a].begin(), sets_[a].end());
}

int Weights::number(const Weight& w) {
  const auto [at, fresh] = numberOf_.try_emplace(w, static_cast<int>(weights_.size()));
  if (fresh) weights_.push_back(w);
  return at->second;
}

Interval Weights::weightOf(int weight) const {
  const Weight& w = weights_[weight];
  const auto count = static_cast<double>(sets_[w.cover].size());
  if (w.over != 0) return {w.cover == w.over ? 1.0 : 0.0, 1};
  // The cover is a part of the set, so each summand is at most 1; if it is all of it, one summand is 1.
  return {w.cover == w.max ? 1.0 : 0.0, count};
}

// ---- terms

bool Weights::addParts(Term t, double factor, int depth, std::vector<Part>& to) {
  spend(1);
  if (to.size() > 2 || depth > kMostDepth) return false;
  const Terms::Node n = terms_.node(t);
  const auto alone = [&] {
    to.push_back({factor, set({terms_.canonical(t)})});
    return true;
  };
  switch (n.kind) {
    case Terms::Kind::Constant:
      return n.number == 0;
    case Terms::Kind::Unary:
      return terms_.nameOf(n.operation) == "neg" ? addParts(n.a, -factor, depth + 1, to) : alone();
    case Terms::Kind::Binary:
      if (terms_.nameOf(n.operation) != "-") return alone();
      return addParts(n.a, factor, depth + 1, to) && addParts(n.b, -factor, depth + 1, to);
    case Terms::Kind::Set: {
      const auto known = maxima_.find(t);
      if (known == maxima_.end()) return alone();
      to.push_back({factor * known->second.factor, known->second.set});
      return true;
    }
    case Terms::Kind::Sum: {
      std::vector<Terms::Product> products(terms_.productsOf(n).begin(), terms_.productsOf(n).end());
      const Dots& dots = terms_.dots();
      if (products.size() > kMostFactors) return alone();
      if (n.left() != 0) {
        if (dots.beforeOf(n.left()) != 0) return alone();
        const std::span<const Term> x = dots.valuesOf(dots.lastOf(n.left())), y = dots.valuesOf(dots.lastOf(n.right()));
        if (x.size() > kMostFactors || x.size() != y.size()) return alone();
        for (std::size_t k = 0; k < x.size(); ++k) products.emplace_back(x[k], y[k]);
      }
      const auto isNumber = [&](Term x) { return terms_.node(x).kind == Terms::Kind::Constant; };
      for (const auto& [x, y] : products)
        if (!isNumber(x) && !isNumber(y)) return alone();
      if (!addParts(n.a, factor, depth + 1, to)) return false;
      if (n.b != Terms::undefined() && !addParts(n.b, factor, depth + 1, to)) return false;
      for (auto [x, y] : products) {
        if (!isNumber(y)) std::swap(x, y);
        if (!addParts(x, factor * terms_.node(y).number, depth + 1, to)) return false;
      }
      return true;
    }
    default:
      return alone();
  }
}

std::vector<Weights::Part> Weights::parts(Term t, int depth) {
  std::vector<Part> out;
  if (!addParts(t, 1, depth, out) || out.size() > 2) out.clear();
  return out;
}

void Weights::maximum(Term max, Term a, Term b) {
  if (terms_.node(max).kind != Terms::Kind::Set) return;
  const auto of = [&](Term t) -> std::optional<Part> {
    const Terms::Node& n = terms_.node(t);
    if (n.kind == Terms::Kind::Constant && n.number == -HUGE_VAL) return Part{0, 0};  // no influence
    const std::vector<Part> p = parts(t);
    return p.size() == 1 && p[0].factor > 0 && std::isfinite(p[0].factor) ? std::optional(p[0]) : std::nullopt;
  };
  const auto x = of(a), y = of(b);
  if (!x || !y) return;
  if (x->set != 0 && y->set != 0 && x->factor != y->factor) return;
  maxima_[max] = {x->set != 0 ? x->factor : y->factor, united(x->set, y->set, false)};
}

bool Weights::exponential(Term exp, Term x, bool two) {
  const std::vector<Part> p = parts(x);
  if (p.size() != 2 || p[0].factor != -p[1].factor || p[0].factor == 0 || !std::isfinite(p[0].factor)) return false;
  const Part &plus = p[p[0].factor > 0 ? 0 : 1], &minus = p[p[0].factor > 0 ? 1 : 0];
  if (plus.set == 0 || minus.set == 0 || !within(plus.set, minus.set)) return false;
  ratios_[exp] = {plus.set, minus.set, plus.factor, two};
  return true;
}

void Weights::reciprocal(Term out, const WeightShare& s) {
  const Weight& w = weights_[s.weight];
  if (s.weight != 0 && s.low == 1 && s.high == 1 && w.over == 0 && w.cover == w.max) reciprocals_[out] = s.weight;
}

// ---- shares

WeightShare Weights::shareOf(Term exp, double relative, double absolute) {
  const auto at = ratios_.find(exp);
  if (at == ratios_.end() || sets_[at->second.from].size() != 1) return {};
  const Ratio& r = at->second;
  return WeightShare{number({r.to, r.from, 0, r.rate, r.two}), 1, 1, relative, absolute};
}

std::optional<WeightShare> Weights::sum(const WeightShare& a, const WeightShare& b) {
  const Weight x = weights_[a.weight], y = weights_[b.weight];
  if (a.weight == 0 || b.weight == 0) return std::nullopt;
  if (x.max != y.max || x.over != y.over || x.rate != y.rate || x.two != y.two) return std::nullopt;
  const SetId cover = united(x.cover, y.cover, true);
  if (cover < 0) return std::nullopt;
  return WeightShare{number({x.max, cover, x.over, x.rate, x.two}), std::fmin(a.low, b.low), std::fmax(a.high, b.high),
                     std::fmax(a.share, b.share), a.rest + b.rest};
}

// w m1 becomes w m2 with m2 = m1 r. |l' r' - l r| <= |l' - l| r' + |l| |r' - r|, and r <= 1.
std::optional<WeightShare> Weights::scaled(const WeightShare& s, Term ratio, const ErrorForm& error) {
  const auto at = ratios_.find(ratio);
  if (at == ratios_.end() || s.weight == 0) return std::nullopt;
  const Weight w = weights_[s.weight];
  const Ratio& r = at->second;
  if (r.from != w.max || r.rate != w.rate || r.two != w.two || w.over != 0) return std::nullopt;
  const double relative = error.relative, absolute = error.rest(1);
  const int to = number({r.to, w.cover, 0, w.rate, w.two});
  const double share = s.share * (1 + relative) + s.most() * relative;
  const double rest = s.rest * (1 + relative + absolute) + (s.most() + s.share) * weightOf(s.weight).hi * absolute;
  return WeightShare{to, s.low, s.high, share, rest};
}

WeightShare Weights::times(const WeightShare& s, const Interval& factor, double error) {
  const Interval w = Interval{s.low, s.high} * factor;
  const double most = factor.most() + error;
  return {s.weight, w.lo, w.hi, s.share * most + s.most() * error, s.rest * most};
}

// Divided by m2 >= m1, m2 >= 1, whose computed reciprocal has the error `relative`.
std::optional<WeightShare> Weights::divided(const WeightShare& s, const WeightShare& by, const ErrorForm& error) {
  const Weight w = weights_[s.weight], d = weights_[by.weight];
  if (s.weight == 0 || by.weight == 0 || by.low != 1 || by.high != 1) return std::nullopt;
  if (w.over != 0 || d.over != 0 || d.cover != d.max || w.max != d.max || w.rate != d.rate || w.two != d.two)
    return std::nullopt;
  const double relative = error.relativeTo(1);
  if (!(relative < 0.5)) return std::nullopt;
  const double inverse = relative / (1 - relative);
  return WeightShare{number({w.max, w.cover, d.cover, w.rate, w.two}), s.low, s.high,
                     s.share * (1 + inverse) + s.most() * inverse, s.rest * (1 + inverse)};
}

std::optional<WeightShare> Weights::divided(const WeightShare& s, Term reciprocal, const ErrorForm& error) {
  const auto at = reciprocals_.find(reciprocal);
  if (at == reciprocals_.end() || s.weight == 0) return std::nullopt;
  const Weight w = weights_[s.weight], d = weights_[at->second];
  if (w.over != 0 || w.max != d.max || w.rate != d.rate || w.two != d.two) return std::nullopt;
  const double relative = error.relativeTo(1 / weightOf(at->second).hi);
  if (!(relative < 0.5)) return std::nullopt;
  return WeightShare{number({w.max, w.cover, d.cover, w.rate, w.two}), s.low, s.high,
                     s.share * (1 + relative) + s.most() * relative, s.rest * (1 + relative)};
}

Interval Weights::range(const WeightShare& s) const { return Interval{s.low, s.high} * weightOf(s.weight); }

}  // namespace tessera::graphene
