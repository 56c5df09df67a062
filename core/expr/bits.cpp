#include "core/expr/bits.h"

#include <bit>
#include <utility>

namespace tessera {
namespace {

Expr powerOf(int k) { return Expr::constant(i64{1} << k); }
Expr halfOf(const Expr& e) { return floorDiv(e, 2); }
Expr negated(const Expr& e) { return e * -1; }

// x & mask as the sum of its runs of ones; a negative mask keeps everything above its last run.
std::optional<Expr> masked(const Expr& x, i64 mask) {
  const u64 bits = static_cast<u64>(mask);
  Expr sum;
  for (int from = 0; from < 64;) {
    if (((bits >> from) & 1) == 0) {
      ++from;
      continue;
    }
    const int end = from + std::countr_one(bits >> from);
    if (from > kMaxShift || (end < 64 && end - from > kMaxShift)) return std::nullopt;
    const Expr high = floorDiv(x, powerOf(from));
    sum = sum + (end == 64 ? high : mod(high, powerOf(end - from))) * powerOf(from);
    from = end;
  }
  return sum;
}

// Whether no bit can be set in both.
bool disjoint(const Facts& x, const Facts& y) { return (x.zeros | y.zeros) == ~u64{0}; }

Expr size(const Expr& y, FactBase& facts) { return facts.of(y).interval.lo > 0 ? y : negated(y); }

}  // namespace

Expr bitAnd(const Expr& x, const Expr& y) {
  if (x.isConstant() && y.isConstant()) return Expr::constant(x.value() & y.value());
  for (const auto& [mask, of] : {std::pair{&y, &x}, std::pair{&x, &y}}) {
    if (!mask->isConstant()) continue;
    if (const auto sum = masked(*of, mask->value())) return *sum;
  }
  return halfOf(x + y - (x ^ y));
}

Expr bitOr(const Expr& x, const Expr& y) {
  if (x.isConstant() && y.isConstant()) return Expr::constant(x.value() | y.value());
  for (const auto& [mask, of] : {std::pair{&y, &x}, std::pair{&x, &y}}) {
    if (!mask->isConstant()) continue;
    if (const auto both = masked(*of, mask->value())) return *of - *both + mask->value();
  }
  return halfOf(x + y + (x ^ y));
}

Expr bitNot(const Expr& x) { return negated(x) - 1; }

Expr bitAnd(const Expr& x, const Expr& y, FactBase& facts) {
  if (disjoint(facts.of(x), facts.of(y))) return Expr();
  for (const auto& [mask, of] : {std::pair{&y, &x}, std::pair{&x, &y}}) {
    if (!mask->isConstant() || of->isConstant() || mask->isConstant(0)) continue;
    const u64 bits = static_cast<u64>(mask->value()), maybe = ~facts.of(*of).zeros;
    if ((maybe & ~bits) == 0) return *of;  // x & 7 of an x in [0, 7]
    const int above = 64 - std::countl_zero(bits);
    if (above < 64 && (maybe >> above) == 0)  // x & 0xFFF8 of an x below 2^16: the highest run needs no upper end
      return bitAnd(*of, Expr::constant(static_cast<i64>(bits | ~u64{0} << above)));
  }
  return x == y ? x : bitAnd(x, y);
}

Expr bitOr(const Expr& x, const Expr& y, FactBase& facts) {
  if (disjoint(facts.of(x), facts.of(y))) return x + y;
  return x == y ? x : bitOr(x, y);
}

Expr shiftLeft(const Expr& x, int count) { return x * powerOf(count); }
Expr shiftRight(const Expr& x, int count) { return floorDiv(x, powerOf(count)); }

Expr powerOfTwo(const Expr& count, int most) {
  if (count.isConstant()) return powerOf(static_cast<int>(count.value()));
  Expr product = Expr::constant(1);
  for (int k = 0; (1 << k) <= most; ++k) {
    const Expr bit = mod(floorDiv(count, i64{1} << k), 2);
    product = product * (bit * ((i64{1} << (1 << k)) - 1) + 1);
  }
  return product;
}

Expr truncatedQuotient(const Expr& x, const Expr& y, FactBase& facts) {
  const bool positive = facts.of(y).interval.lo > 0, whole = facts.of(x).interval.lo >= 0;
  const Expr by = size(y, facts), none = Expr::constant(0);
  const Expr quotient =
      whole ? floorDiv(x, by) : floorDiv(greatest(x, none), by) - floorDiv(greatest(negated(x), none), by);
  return positive ? quotient : negated(quotient);
}

Expr truncatedRemainder(const Expr& x, const Expr& y, FactBase& facts) {
  const Expr by = size(y, facts), none = Expr::constant(0);
  if (facts.of(x).interval.lo >= 0) return mod(x, by);
  return mod(greatest(x, none), by) - mod(greatest(negated(x), none), by);
}

Expr flooredRemainder(const Expr& x, const Expr& y, FactBase& facts) {
  return facts.of(y).interval.lo > 0 ? mod(x, y) : negated(mod(negated(x), negated(y)));
}

Expr lessThan(const Expr& x, const Expr& y, FactBase& facts) {
  const Expr difference = y - x;
  const Range r = facts.of(difference).interval;
  if (r.lo >= 1) return Expr::constant(1);
  if (r.hi <= 0) return Expr::constant(0);
  const Expr low = r.lo >= 0 ? difference : greatest(difference, Expr::constant(0));
  return r.hi <= 1 ? low : least(low, Expr::constant(1));
}

Expr equalTo(const Expr& x, const Expr& y, FactBase& facts) { return Expr::constant(1) - notZero(x - y, facts); }

Expr notZero(const Expr& x, FactBase& facts) {
  const Facts& f = facts.of(x);
  const Range r = f.interval;
  if (r.lo >= 1 || r.hi <= -1 || (f.modulus > 1 && f.remainder != 0)) return Expr::constant(1);
  if (r.lo == 0 && r.hi == 0) return Expr::constant(0);
  if (r.lo == 0) return r.hi == 1 ? x : least(x, Expr::constant(1));
  return least(greatest(x, negated(x)), Expr::constant(1));
}

Expr selected(const Expr& condition, const Expr& x, const Expr& y) {
  if (x == y || condition.isConstant(1)) return x;
  if (condition.isConstant(0)) return y;
  if (y.isConstant(0)) return condition * x;
  return condition * x + (Expr::constant(1) - condition) * y;
}

}  // namespace tessera
