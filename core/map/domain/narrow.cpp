#include "core/map/domain/narrow.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/arith.h"
#include "core/expr/compile.h"
#include "core/expr/linear_sum.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"

namespace tessera {
namespace {

constexpr i64 kMostTried = 4096;  // values tried at each end of a range
constexpr int kMostRounds = 32;   // rounds of interval propagation, which may shrink by one for ever

bool operator!=(const Range& a, const Range& b) { return !(a == b); }

// Merges the congruences of one variable in their simplest form, and tightens the range to values that satisfy it.
Narrowing byCongruences(std::vector<Guard>& guards, Environment& box) {
  bool changed = false;
  std::vector<Guard> kept;
  std::vector<std::optional<Congruence>> known;  // of kept
  for (const Guard& g : guards) {
    std::optional<Congruence> now = congruenceOf(g);
    if (now && !now->possible()) return Narrowing::Empty;
    for (std::size_t k = 0; now && k < known.size(); ++k) {
      if (!known[k] || known[k]->variable != now->variable) continue;
      const auto one = both(*known[k], *now);
      if (!one) continue;
      if (!one->possible()) return Narrowing::Empty;
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
      known.erase(known.begin() + static_cast<std::ptrdiff_t>(k));
      changed = true;
      now = one;
      k = static_cast<std::size_t>(-1);  // the new one may merge with an earlier one
    }
    kept.push_back(now ? guardOf(*now) : g);
    changed = changed || !(kept.back() == g);
    known.push_back(std::move(now));
  }
  for (const auto& c : known) {
    if (!c) continue;
    const auto inside = within(rangeOf(box, c->variable), *c);
    if (!inside) return Narrowing::Empty;
    if (c->variable.op() == Op::Param) continue;
    changed = changed || *inside != rangeOf(box, c->variable);
    rangeOf(box, c->variable) = *inside;
  }
  guards = std::move(kept);
  return changed ? Narrowing::Changed : Narrowing::Nothing;
}

// Drops values at the ends of a range that a constraint on this variable only excludes, and constraints that always
// hold.
Narrowing byValues(std::vector<Guard>& guards, Environment& box) {
  bool changed = false;
  for (std::size_t g = 0; g < guards.size();) {
    const Guard guard = guards[g++];
    const auto k = onlyDigit(guard.value);
    if (!k || !factsOf(guard.value, box).fits) continue;
    const Program program = Program::compile(guard.value);
    std::vector<i64> digits(box.digits.size());
    const auto holds = [&](i64 at) {
      digits[static_cast<std::size_t>(*k)] = at;
      const i64 value = program.run(digits, {});
      return value >= guard.lo && value <= guard.hi;
    };
    Range& range = box.digits[static_cast<std::size_t>(*k)];
    const auto width = checkedSub(range.hi, range.lo);
    if (!width) continue;
    i64 below = 0, above = 0;
    while (below <= std::min(*width, kMostTried) && !holds(range.lo + below)) ++below;
    if (below > *width) return Narrowing::Empty;
    while (above <= std::min(*width, kMostTried) && !holds(range.hi - above)) ++above;
    if (below > kMostTried) below = 0;  // no valid value found: no information
    if (above > kMostTried) above = 0;
    changed = changed || below > 0 || above > 0;
    range = {range.lo + below, range.hi - above};
    if (congruenceOf(guard) || range.hi - range.lo > kMostTried) continue;
    bool all = true;
    for (i64 at = range.lo; all && at <= range.hi; ++at) all = holds(at);
    if (!all) continue;
    guards.erase(guards.begin() + static_cast<std::ptrdiff_t>(--g));
    changed = true;
  }
  return changed ? Narrowing::Changed : Narrowing::Nothing;
}

WideRange times(const Range& r, i64 c) {
  const i128 a = i128{r.lo} * c, b = i128{r.hi} * c;
  return {std::min(a, b), std::max(a, b)};
}

// lo <= c1 x1 + ... + k <= hi: narrows each xi to the range that the other terms allow. False if that range is empty.
bool boundsIn(const Guard& guard, const Linear& sum, Environment& box) {
  std::vector<WideRange> terms;
  WideRange all{sum.constant, sum.constant};
  for (const Term& t : sum.terms) {
    terms.push_back(times(factsOf(t.part, box).interval, t.coefficient));
    all = {all.lo + terms.back().lo, all.hi + terms.back().hi};
  }
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Term& t = sum.terms[k];
    if (t.part.op() != Op::Digit) continue;
    Range& range = rangeOf(box, t.part);
    const WideRange left{guard.lo == INT64_MIN ? terms[k].lo : guard.lo - (all.hi - terms[k].hi),
                         guard.hi == INT64_MAX ? terms[k].hi : guard.hi - (all.lo - terms[k].lo)};
    const WideRange x = quotients(left, t.coefficient);
    const i128 lo = std::max<i128>(range.lo, x.lo), hi = std::min<i128>(range.hi, x.hi);
    if (lo > hi) return false;
    range = {static_cast<i64>(lo), static_cast<i64>(hi)};
    const WideRange now = times(range, t.coefficient);
    all = {all.lo - terms[k].lo + now.lo, all.hi - terms[k].hi + now.hi};
    terms[k] = now;
  }
  return true;
}

// Interval propagation to a fixed point; if it only creeps, the box is left unchanged.
Narrowing bySums(std::vector<Guard>& guards, Environment& box) {
  std::vector<std::pair<const Guard*, Linear>> sums;
  for (const Guard& g : guards)
    if (auto sum = linearSum(g.value); sum && factsOf(g.value, box).fits) sums.emplace_back(&g, *std::move(sum));
  Environment now = box;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::vector<Range> before = now.digits;
    for (const auto& [guard, sum] : sums)
      if (!boundsIn(*guard, sum, now)) return Narrowing::Empty;
    if (before != now.digits) continue;
    const bool changed = now.digits != box.digits;
    box = std::move(now);
    return changed ? Narrowing::Changed : Narrowing::Nothing;
  }
  return Narrowing::Nothing;
}

i64 residue(i128 a, i64 m) {
  const i128 r = a % m;
  return static_cast<i64>(r < 0 ? r + m : r);
}

// The x in [0, m) with a x == 1 (mod m). Requires gcd(a, m) == 1.
i64 inverse(i64 a, i64 m) {
  i64 r = m, next = floorMod(a, m), x = 0, nextX = 1;
  while (next != 0) {
    const i64 q = r / next;
    r = std::exchange(next, r - q * next);
    x = std::exchange(nextX, x - q * nextX);
  }
  return floorMod(x, m);
}

}  // namespace

Narrowing narrow(std::vector<Guard>& guards, Environment& box) {
  Narrowing all = Narrowing::Nothing;
  for (const auto step : {byCongruences, byValues, bySums}) {
    const Narrowing one = step(guards, box);
    if (one == Narrowing::Empty) return one;
    if (one == Narrowing::Changed) all = one;
  }
  return all;
}

WideRange quotients(const WideRange& r, i128 c) {
  if (c < 0) return quotients({-r.hi, -r.lo}, -c);
  return {-wideFloorDiv(-r.lo, c), wideFloorDiv(r.hi, c)};
}

std::optional<Congruence> congruenceOf(const Guard& guard) {
  const Expr& e = guard.value;
  if (e.op() != Op::Mod || !e.rhs().isConstant() || e.rhs().value() <= 0) return std::nullopt;
  const i64 m = e.rhs().value(), wanted = std::max<i64>(guard.lo, 0);
  if (wanted != std::min(guard.hi, m - 1)) return std::nullopt;
  const auto sum = linearSum(e.lhs());
  if (!sum || sum->terms.size() != 1) return std::nullopt;
  const auto& [variable, factor] = sum->terms[0];
  if (variable.op() != Op::Digit && variable.op() != Op::Param) return std::nullopt;
  // factor * variable == right (mod m)
  const i64 right = residue(i128{wanted} - sum->constant, m), a = floorMod(factor, m), g = std::gcd(a, m);
  if (right % g != 0) return Congruence{variable, 0, 0};
  const i64 modulus = m / g;
  return Congruence{variable, modulus, residue(i128{right / g} * inverse(a / g, modulus), modulus)};
}

std::optional<Congruence> both(const Congruence& a, const Congruence& b) {
  if (!a.possible() || !b.possible()) return Congruence{a.variable, 0, 0};
  const i64 g = std::gcd(a.modulus, b.modulus);
  const auto modulus = checkedMul(a.modulus, b.modulus / g);
  if (residue(i128{b.remainder} - a.remainder, g) != 0) return Congruence{a.variable, 0, 0};
  if (!modulus) return std::nullopt;
  // remainder = a.remainder + a.modulus * t, with t such that it is also b's
  const i64 rest = b.modulus / g;
  const i128 apart = (i128{b.remainder} - a.remainder) / g;
  const i64 t = residue(i128{residue(apart, rest)} * inverse(a.modulus / g, rest), rest);
  return Congruence{a.variable, *modulus, residue(i128{a.modulus} * t + a.remainder, *modulus)};
}

Guard guardOf(const Congruence& c) { return {mod(c.variable, c.modulus), c.remainder, c.remainder}; }

std::optional<Range> within(const Range& range, const Congruence& c) {
  if (!c.possible()) return std::nullopt;
  const i128 lo = i128{range.lo} + residue(i128{c.remainder} - range.lo, c.modulus);
  const i128 hi = i128{range.hi} - residue(i128{range.hi} - c.remainder, c.modulus);
  if (lo > hi) return std::nullopt;
  return Range{static_cast<i64>(lo), static_cast<i64>(hi)};
}

}  // namespace tessera
