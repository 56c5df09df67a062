#include "core/map/domain/congruence.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/arith.h"
#include "core/expr/linear_sum.h"

namespace tessera {
namespace {

__extension__ using i128 = __int128;

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
