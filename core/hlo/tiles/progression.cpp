#include "core/hlo/tiles/progression.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/base/arith.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"

namespace tessera::hlo {
namespace {

constexpr i64 kUnbounded = INT64_MAX;
constexpr std::size_t kMostCases = 256;  // per sum; dropping cases only leaves tiles without an answer

constexpr i64 kMostTried = i64{1} << 20;

// At least 1: ranges alone may not show that the quotient of a multiple is positive, and it becomes a divisor.
Expr strideOf(const Expr& a, i64 by) { return greatest(floorDiv(a, by), Expr::constant(1)); }

// An equivalent, simpler condition: moves the value's constant and a sole factor into the bounds. Open bounds stay.
Guard plain(Guard g) {
  auto sum = linearSum(g.value);
  if (!sum) return g;
  const auto less = [](i64 bound, i64 by) -> i64 {
    if (bound == kUnbounded || bound == -kUnbounded) return bound;
    return checkedSub(bound, by).value_or(bound);
  };
  if (sum->constant != 0 && checkedSub(g.lo == -kUnbounded ? 0 : g.lo, sum->constant) &&
      checkedSub(g.hi == kUnbounded ? 0 : g.hi, sum->constant)) {
    g.lo = less(g.lo, sum->constant);
    g.hi = less(g.hi, sum->constant);
    sum->constant = 0;
    g.value = built(*sum);
  }
  if (sum->constant != 0 || sum->terms.size() != 1) return g;
  const i64 by = sum->terms[0].coefficient;
  if (by == 1) return g;
  const i64 lo = by > 0 ? g.lo : g.hi, hi = by > 0 ? g.hi : g.lo;  // a negative factor swaps the bounds
  g.lo = std::abs(lo) == kUnbounded ? -kUnbounded : ceilDiv(lo, by);
  g.hi = std::abs(hi) == kUnbounded ? kUnbounded : floorDiv(hi, by);
  g.value = sum->terms[0].part;
  return g;
}

}  // namespace

Expr ProgressionArithmetic::simple(const Expr& e) const { return simplified(e, box_); }

Progression ProgressionArithmetic::simple(const Progression& p) const {
  return {simple(p.offset), simple(p.size), simple(p.stride)};
}

bool ProgressionArithmetic::fits(const Progression& p) const {
  return factsOf(p.offset, box_).fits && factsOf(p.size, box_).fits && factsOf(p.stride, box_).fits;
}

void ProgressionArithmetic::add(std::vector<ProgressionCase>& cases, Conditions where, const Progression& is) const {
  if (const Progression plain = simple(is); fits(is) && fits(plain)) cases.push_back({std::move(where), plain});
}

bool ProgressionArithmetic::require(Conditions& where, const Conditions& more) const {
  return std::ranges::all_of(more, [&](const Guard& g) { return require(where, g.value, g.lo, g.hi); });
}

bool ProgressionArithmetic::require(Conditions& where, const Expr& value, i64 lo, i64 hi) const {
  if (!factsOf(value, box_).fits) return false;
  const Expr e = simple(value);
  const Facts known = factsOf(e, box_);
  if (!known.fits || known.interval.lo > hi || known.interval.hi < lo) return false;
  if (known.interval.lo >= lo && known.interval.hi <= hi) return true;
  const i64 least = std::max(lo, known.interval.lo), most = std::min(hi, known.interval.hi);
  const bool openBelow = known.interval.lo >= lo && least != most, openAbove = known.interval.hi <= hi && least != most;
  const Guard g = plain({e, openBelow ? -kUnbounded : least, openAbove ? kUnbounded : most});
  if (g.lo > g.hi) return false;
  for (Guard& there : where)
    if (there.value == g.value) {
      there.lo = std::max(there.lo, g.lo);
      there.hi = std::min(there.hi, g.hi);
      return there.lo <= there.hi;
    }
  where.push_back(g);
  return true;
}

// In order of step: a part joins the sum if its step is a multiple of the current stride and at most size * stride.
std::vector<ProgressionCase> ProgressionArithmetic::sum(const Expr& constant, std::vector<Multiple> parts) const {
  std::ranges::stable_sort(parts, [](const Multiple& a, const Multiple& b) {
    const auto step = [](const Multiple& m) {
      const i64 stride = m.of.stride.isConstant() ? m.of.stride.value() : 1;
      return std::abs(static_cast<double>(m.by) * static_cast<double>(stride));
    };
    return step(a) < step(b);
  });
  struct State : ProgressionCase {
    int moving = 0;  // parts that may move
  };
  std::vector<State> cases{State{{{}, {constant, Expr::constant(1), Expr::constant(1)}}, 0}};
  for (const Multiple& m : parts) {
    const Expr step = m.of.stride * std::abs(m.by);
    const Expr first = m.by > 0 ? m.of.offset * m.by : (m.of.offset + (m.of.size - 1) * m.of.stride) * m.by;
    std::vector<State> next;
    for (const State& c : cases) {
      State joined = c;
      ++joined.moving;
      joined.is.offset = c.is.offset + first;
      if (c.is.size.isConstant(1)) {  // nothing moves yet
        joined.moving = 1;
        joined.is.size = m.of.size;
        joined.is.stride = step;
        joined.is = simple(joined.is);
        if (fits(joined.is)) next.push_back(std::move(joined));
        continue;
      }
      const Expr every = floorDiv(step, c.is.stride);
      joined.is.size = c.is.size + every * (m.of.size - 1);
      const bool can = require(joined.where, mod(step, c.is.stride), 0, 0) &&
                       require(joined.where, c.is.size - every, 0, kUnbounded);
      joined.is = simple(joined.is);
      if (can && fits(joined.is)) next.push_back(std::move(joined));
      State still = c;  // this part does not move
      still.is.offset = simple(c.is.offset + first);
      if (require(still.where, m.of.size, 1, 1) && fits(still.is)) next.push_back(std::move(still));
      if (c.moving > 1) continue;  // the other part is fixed; with several, their own cases cover it
      State alone = c;
      alone.is = simple(Progression{c.is.offset + first, m.of.size, step});
      if (require(alone.where, c.is.size, 1, 1) && fits(alone.is)) next.push_back(std::move(alone));
    }
    cases = withoutNeedless(std::move(next));
    if (cases.size() > kMostCases) cases.resize(kMostCases);
  }
  return {cases.begin(), cases.end()};
}

std::vector<ProgressionCase> ProgressionArithmetic::quotient(const Progression& p, i64 by) const {
  if (by == 1) return {{{}, p}};
  const Expr first = floorDiv(p.offset, by), last = floorDiv(p.offset + (p.size - 1) * p.stride, by);
  std::vector<ProgressionCase> cases;
  Conditions whole, close, one;
  if (require(whole, mod(p.stride, by), 0, 0)) add(cases, whole, {first, p.size, strideOf(p.stride, by)});
  if (require(close, p.stride, 1, by)) add(cases, close, {first, last - first + 1, Expr::constant(1)});
  if (require(one, p.size, 1, 1)) add(cases, one, {first, Expr::constant(1), Expr::constant(1)});
  return withoutNeedless(std::move(cases));
}

std::vector<ProgressionCase> ProgressionArithmetic::remainder(const Progression& p, i64 of) const {
  const Expr at = mod(p.offset, of);
  std::vector<ProgressionCase> cases;
  Conditions inside, round, still;
  if (require(inside, at + (p.size - 1) * p.stride, 0, of - 1)) add(cases, inside, {at, p.size, p.stride});
  if (require(still, mod(p.stride, of), 0, 0)) add(cases, still, {at, Expr::constant(1), Expr::constant(1)});
  const Expr all = floorDiv(Expr::constant(of), p.stride);
  if (require(round, mod(Expr::constant(of), p.stride), 0, 0) && require(round, p.size - all, 0, kUnbounded))
    add(cases, round, {mod(p.offset, p.stride), all, p.stride});
  return withoutNeedless(std::move(cases));
}

std::vector<ProgressionCase> ProgressionArithmetic::window(const Progression& p, const Window& w) const {
  std::vector<ProgressionCase> cases;
  for (ProgressionCase& q : quotient(p, w.by)) {
    if (w.of == 0) {
      cases.push_back(std::move(q));
      continue;
    }
    for (ProgressionCase& r : remainder(q.is, w.of)) {
      if (require(r.where, q.where)) cases.push_back(std::move(r));
    }
  }
  return withoutNeedless(std::move(cases));
}

// Digit boundaries: 1, 8, 48, each a multiple of the one before. nullopt: the windows are not digits of one number.
static std::optional<std::vector<i64>> boundariesOf(const std::vector<Window>& windows) {
  std::vector<i64> at{1};
  for (const Window& w : windows) {
    at.push_back(w.by);
    if (w.of == 0) continue;
    const auto end = checkedMul(w.by, w.of);
    if (!end) return std::nullopt;
    at.push_back(*end);
  }
  std::ranges::sort(at);
  at.erase(std::unique(at.begin(), at.end()), at.end());
  for (std::size_t k = 1; k < at.size(); ++k)
    if (at[k] % at[k - 1] != 0) return std::nullopt;
  return at;
}

std::optional<std::vector<DigitsCase>> ProgressionArithmetic::split(const Progression& p,
                                                                    const std::vector<Window>& windows) const {
  i64 common = 0;
  for (const Window& w : windows) common = std::gcd(common, w.by);
  if (common > 1) return splitQuotient(p, windows, common);
  const auto at = boundariesOf(windows);
  if (!at) return std::nullopt;
  std::vector<std::size_t> digitOf;  // each window is one digit; overlapping windows are not
  for (const Window& w : windows) {
    const auto k = static_cast<std::size_t>(std::ranges::find(*at, w.by) - at->begin());
    const bool top = k + 1 == at->size();
    if (top != (w.of == 0) || (!top && (*at)[k] * w.of != (*at)[k + 1])) return std::nullopt;
    if (std::ranges::find(digitOf, k) != digitOf.end()) return std::nullopt;
    digitOf.push_back(k);
  }
  const std::size_t top = at->size() - 1;
  const auto radix = [&](std::size_t k) { return (*at)[k + 1] / (*at)[k]; };
  const auto digitAt = [&](std::size_t k) {
    const Expr high = floorDiv(p.offset, (*at)[k]);
    return k == top ? high : mod(high, radix(k));
  };
  const auto keep = [&](std::vector<DigitsCase>& cases, Conditions where, const std::vector<Progression>& all) {
    DigitsCase c{std::move(where), {}};
    for (const std::size_t k : digitOf) {
      c.digits.push_back(simple(all[k]));
      if (!fits(all[k]) || !fits(c.digits.back())) return;
    }
    cases.push_back(std::move(c));
  };
  std::vector<DigitsCase> cases;
  // `low` is the first digit that moves, `free` the last; digits between them take all values, the others are constant.
  for (std::size_t low = 0; low <= top; ++low)
    for (std::size_t free = low; free <= top; ++free) {
      std::vector<Progression> all;
      for (std::size_t k = 0; k <= top; ++k) all.push_back({digitAt(k), Expr::constant(1), Expr::constant(1)});
      Conditions where;
      if (!require(where, mod(p.stride, (*at)[low]), 0, 0)) continue;
      if (low == free) {
        all[low].size = p.size;
        all[low].stride = strideOf(p.stride, (*at)[low]);
        const bool stays =
            low == top || require(where, digitAt(low) + (p.size - 1) * all[low].stride, 0, radix(low) - 1);
        if (stays) keep(cases, std::move(where), all);
        continue;
      }
      const Expr reach = p.size * p.stride, count = floorDiv(reach, (*at)[free]);
      const bool full = require(where, mod(Expr::constant((*at)[low + 1]), p.stride), 0, 0) &&
                        require(where, mod(reach, (*at)[free]), 0, 0) &&
                        require(where, p.stride - mod(p.offset, (*at)[free]), 1, kUnbounded);
      if (!full) continue;
      all[low].size = floorDiv(Expr::constant((*at)[low + 1]), p.stride);
      all[low].stride = strideOf(p.stride, (*at)[low]);
      for (std::size_t k = low + 1; k < free; ++k)
        all[k] = {Expr::constant(0), Expr::constant(radix(k)), Expr::constant(1)};
      all[free].size = count;
      if (free == top || require(where, digitAt(free) + count, 1, radix(free))) keep(cases, std::move(where), all);
    }
  return withoutNeedless(std::move(cases));
}

std::vector<Filtered> ProgressionArithmetic::strideFilter(const Conditions& where, const Progression& p,
                                                          const Expr& residue, i64 of) const {
  std::vector<Filtered> cases;
  const Expr apart = residue - p.offset;
  if (p.stride.isConstant()) {
    strideFilter(cases, where, p, p.stride.value(), apart, of);
    return cases;
  }
  Conditions unit = where, one = where, all = where;
  if (require(unit, p.stride, 1, 1)) strideFilter(cases, std::move(unit), p, 1, apart, of);
  if (require(one, p.size, 1, 1)) strideFilter(cases, std::move(one), p, of, apart, of);
  if (require(all, mod(p.stride, of), 0, 0)) strideFilter(cases, std::move(all), p, of, apart, of);
  return cases;
}

// `apart`: distance from the first number to the residue; `stride`: has the same gcd with `of` as p's stride.
void ProgressionArithmetic::strideFilter(std::vector<Filtered>& to, Conditions where, const Progression& p, i64 stride,
                                         const Expr& apart, i64 of) const {
  const i64 common = std::gcd(stride, of), every = of / common;
  if (every > kMostTried) return;
  i64 inverse = 0;  // of stride / common, modulo every
  while (inverse < every && floorMod(inverse * (stride / common % every), every) != 1 % every) ++inverse;
  Conditions none = where;
  if (common > 1 && require(none, mod(apart, common), 1, common - 1)) to.push_back({std::move(none), true, p});
  if (!require(where, mod(apart, common), 0, 0)) return;
  const Expr first = every == 1 ? Expr::constant(0) : mod(floorDiv(apart, common) * inverse, every);
  none = where;
  if (require(none, p.size - first, -kUnbounded, 0)) to.push_back({std::move(none), true, p});
  if (!require(where, p.size - first, 1, kUnbounded)) return;
  const Progression few =
      simple(Progression{p.offset + first * p.stride, floorDiv(p.size - 1 - first, every) + 1, p.stride * every});
  if (fits(few)) to.push_back({std::move(where), false, few});
}

std::vector<Filtered> ProgressionArithmetic::cut(const Conditions& where, const Progression& p,
                                                 const Range& range) const {
  std::vector<Filtered> cases;
  Conditions inside = where, some = where, none = where;
  const Expr last = p.offset + (p.size - 1) * p.stride;
  const Range to{std::max(range.lo, factsOf(p.offset, box_).interval.lo),
                 std::min(range.hi, factsOf(last, box_).interval.hi)};
  if (require(inside, p.offset, to.lo, kUnbounded) && require(inside, last, -kUnbounded, to.hi))
    cases.push_back({std::move(inside), false, p});
  const Expr skipped = greatest(floorDiv(p.stride - p.offset + (to.lo - 1), p.stride), Expr::constant(0));
  const Expr first = p.offset + skipped * p.stride;
  const Expr size = least(p.size - skipped, floorDiv(Expr::constant(to.hi) - first, p.stride) + 1);
  const Progression cut = simple(Progression{first, size, p.stride});
  if (fits(cut) && require(some, size, 1, kUnbounded)) cases.push_back({std::move(some), false, cut});
  if (require(none, size, -kUnbounded, 0)) cases.push_back({std::move(none), true, p});
  return cases;
}

// No window looks at digits below `by`, so divide by it first.
std::optional<std::vector<DigitsCase>> ProgressionArithmetic::splitQuotient(const Progression& p,
                                                                            std::vector<Window> windows, i64 by) const {
  for (Window& w : windows) w.by /= by;
  std::vector<DigitsCase> cases;
  for (const ProgressionCase& q : quotient(p, by)) {
    auto digits = split(q.is, windows);
    if (!digits) return std::nullopt;
    for (DigitsCase& d : *digits)
      if (require(d.where, q.where)) cases.push_back(std::move(d));
  }
  return withoutNeedless(std::move(cases));
}

bool ProgressionArithmetic::tidy(Conditions& where, std::vector<Progression>& values) const {
  for (int round = 0; round < 4; ++round) {
    Environment box = box_;
    std::vector<Expr> known;
    for (std::size_t k = 0; k < box.params.size(); ++k) known.push_back(Expr::param(static_cast<int>(k)));
    for (const Guard& g : where) {
      if (g.value.op() != Op::Param) continue;
      const auto k = static_cast<std::size_t>(g.value.index());
      Range& range = box.params[k];
      range = {std::max(range.lo, g.lo), std::min(range.hi, g.hi)};
      if (range.lo > range.hi) return false;
      if (range.lo == range.hi) known[k] = Expr::constant(range.lo);
    }
    const ProgressionArithmetic narrow(box);
    Conditions plainer;
    for (const Guard& g : where)
      if (g.value.op() == Op::Param && !require(plainer, g.value, g.lo, g.hi)) return false;
    for (const Guard& g : where)
      if (g.value.op() != Op::Param && !narrow.require(plainer, substitute(g.value, {}, known), g.lo, g.hi))
        return false;
    for (Progression& p : values) {
      p = narrow.simple(
          Progression{substitute(p.offset, {}, known), substitute(p.size, {}, known), substitute(p.stride, {}, known)});
      if (p.size.isConstant(1)) p.stride = Expr::constant(1);
      for (const Guard& g : plainer)
        if (g.lo == g.hi && g.value == p.offset) p.offset = Expr::constant(g.lo);
    }
    std::swap(where, plainer);
    if (plainer == where) return true;
  }
  return true;
}

}  // namespace tessera::hlo
