#include "core/expr/facts.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/arith.h"
#include "core/expr/walk.h"

namespace tessera {
namespace {

// Saturates: an interval that exceeds 64 bits is reported by
// `fits`, and stays sound because evaluation is then refused.
i64 clamp64(i128 v) { return v < INT64_MIN ? INT64_MIN : v > INT64_MAX ? INT64_MAX : static_cast<i64>(v); }

void setInterval(Facts& f, i128 lo, i128 hi) {
  if (!fits64(lo) || !fits64(hi)) f.fits = false;
  f.interval = {clamp64(lo), clamp64(hi)};
}

// The interval of an operation that is monotone in each operand.
template <typename Of>
void setCorners(Facts& f, const Facts& a, const Facts& b, Of of) {
  const auto [lo, hi] = std::minmax({of(a.interval.lo, b.interval.lo), of(a.interval.lo, b.interval.hi),
                                     of(a.interval.hi, b.interval.lo), of(a.interval.hi, b.interval.hi)});
  setInterval(f, lo, hi);
}

u64 maskBelow(int bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }

constexpr u64 kValueBits = ~u64{0} >> 1;  // all but the sign

// Shrinks the interval to its first and last member of the congruence class.
void alignToClass(Facts& f) {
  if (f.modulus <= 1 || !f.fits) return;
  const i128 lo = i128{f.interval.lo} + floorMod(f.remainder - floorMod(f.interval.lo, f.modulus), f.modulus);
  const i128 hi = i128{f.interval.hi} - floorMod(floorMod(f.interval.hi, f.modulus) - f.remainder, f.modulus);
  if (lo <= hi) f.interval = {static_cast<i64>(lo), static_cast<i64>(hi)};
}

Facts exactly(i64 value, bool fits) {
  return {{value, value}, 0, value, ~static_cast<u64>(value), static_cast<u64>(value), fits};
}

// Makes interval, congruence and bits consistent where that is cheap.
Facts settled(Facts f) {
  if (f.interval.lo == f.interval.hi) return exactly(f.interval.lo, f.fits);
  if (f.modulus == 0) return exactly(f.remainder, f.fits);
  if (f.interval.lo >= 0) {
    f.zeros |= ~maskBelow(static_cast<int>(std::bit_width(static_cast<u64>(f.interval.hi))));
    f.interval.lo = std::max(f.interval.lo, static_cast<i64>(f.ones & kValueBits));
    f.interval.hi = std::min(f.interval.hi, static_cast<i64>(~f.zeros & kValueBits));
  }
  const int low = f.modulus > 0 ? std::countr_zero(static_cast<u64>(f.modulus)) : 0;
  const u64 lowMask = maskBelow(low);
  f.ones |= static_cast<u64>(f.remainder) & lowMask;
  f.zeros |= ~static_cast<u64>(f.remainder) & lowMask;
  // Known low bits are a congruence too.
  const int known = std::countr_one(f.zeros | f.ones);
  if (known > low && known < 62 && f.modulus == (i64{1} << low)) {
    f.modulus = i64{1} << known;
    f.remainder = static_cast<i64>(f.ones & maskBelow(known));
  }
  alignToClass(f);
  return f.interval.lo == f.interval.hi ? exactly(f.interval.lo, f.fits) : f;
}

Facts ranged(Range r) {
  Facts f;
  f.interval = r;
  return settled(f);
}

Facts added(const Facts& a, const Facts& b) {
  Facts f;
  setInterval(f, i128{a.interval.lo} + b.interval.lo, i128{a.interval.hi} + b.interval.hi);
  const i64 m = std::gcd(a.modulus, b.modulus);
  if (m == 0) return settled(f);  // both constants: the interval has it
  f.modulus = m;
  f.remainder = static_cast<i64>((i128{floorMod(a.remainder, m)} + floorMod(b.remainder, m)) % m);
  if (((~a.zeros) & (~b.zeros)) == 0) {  // no bit can be set in both: + is or
    f.zeros = a.zeros & b.zeros;
    f.ones = a.ones | b.ones;
  }
  return settled(f);
}

Facts multiplied(const Facts& a, const Facts& b) {
  Facts f;
  setCorners(f, a, b, [](i128 x, i128 y) { return x * y; });
  // (ma*x + ra) * (mb*y + rb) == ra*rb  mod gcd(ma*mb, ma*rb, mb*ra); only constant times anything is kept exact.
  const Facts* c = a.modulus == 0 ? &a : b.modulus == 0 ? &b : nullptr;
  const Facts& x = c == &a ? b : a;
  if (c != nullptr && c->remainder != 0 && c->remainder != INT64_MIN) {
    const i64 k = std::abs(c->remainder);
    const i128 m = i128{k} * x.modulus;
    if (x.modulus > 0 && fits64(m)) {
      f.modulus = static_cast<i64>(m);
      const i128 r = i128{c->remainder} * x.remainder % m;
      f.remainder = static_cast<i64>(r < 0 ? r + m : r);
    }
  }
  // Factors of two of either operand are kept.
  const int twos = std::min(62, std::countr_one(a.zeros) + std::countr_one(b.zeros));
  f.zeros |= maskBelow(twos);
  return settled(f);
}

Facts divided(const Facts& a, const Facts& b) {
  Facts f;
  f.fits = b.interval.lo > 0 || b.interval.hi < 0;
  if (!f.fits) return f;
  setCorners(f, a, b, wideFloorDiv);
  const i64 c = b.modulus == 0 ? b.remainder : 0;
  if (c > 0 && a.modulus > 0 && a.modulus % c == 0) {  // (c*m*x + r) floordiv c == m*x + r floordiv c
    f.modulus = a.modulus / c;
    f.remainder = floorMod(floorDiv(a.remainder, c), f.modulus);
  }
  if (isPowerOfTwo(c)) {  // an arithmetic shift
    const int s = std::countr_zero(static_cast<u64>(c));
    f.ones |= static_cast<u64>(static_cast<i64>(a.ones) >> s) & maskBelow(64 - s);
    f.zeros |= static_cast<u64>(static_cast<i64>(a.zeros) >> s) & maskBelow(64 - s);
  }
  return settled(f);
}

Facts reduced(const Facts& a, const Facts& b) {
  Facts f;
  f.fits = b.interval.lo > 0 || b.interval.hi < 0;
  if (!f.fits) return f;
  const i128 top = std::max(i128{b.interval.hi}, -i128{b.interval.lo});
  setInterval(f, 0, top - 1);
  const i64 c = b.modulus == 0 && b.remainder != INT64_MIN ? std::abs(b.remainder) : 0;
  if (c == 0) {
    const i128 least = b.interval.lo > 0 ? i128{b.interval.lo} : -i128{b.interval.hi};
    if (a.interval.lo >= 0 && a.interval.hi < least) return a;  // below every divisor: unchanged
    return settled(f);
  }
  // One period: the interval shifts down as a whole.
  if (floorDiv(a.interval.lo, c) == floorDiv(a.interval.hi, c))
    setInterval(f, floorMod(a.interval.lo, c), floorMod(a.interval.hi, c));
  if (a.modulus > 0) {
    const i64 m = std::gcd(a.modulus, c);
    f.modulus = m;
    f.remainder = floorMod(a.remainder, m);
    if (m == c) setInterval(f, f.remainder, f.remainder);
  }
  if (isPowerOfTwo(c)) {
    f.ones |= a.ones & static_cast<u64>(c - 1);
    f.zeros |= a.zeros | ~static_cast<u64>(c - 1);
  }
  return settled(f);
}

Facts xored(const Facts& a, const Facts& b) {
  Facts f;
  f.zeros = (a.zeros & b.zeros) | (a.ones & b.ones);
  f.ones = (a.zeros & b.ones) | (a.ones & b.zeros);
  if (a.interval.lo >= 0 && b.interval.lo >= 0) {
    const u64 bits = maskBelow(static_cast<int>(std::bit_width(static_cast<u64>(a.interval.hi | b.interval.hi))));
    f.interval = {static_cast<i64>(f.ones & bits), static_cast<i64>(bits & ~f.zeros)};
  } else {
    // Two's complement: when both fit in n bits and a sign, so does the xor.
    const auto width = [](i64 v) { return static_cast<int>(std::bit_width(static_cast<u64>(v < 0 ? ~v : v))); };
    const int n = std::max({width(a.interval.lo), width(a.interval.hi), width(b.interval.lo), width(b.interval.hi)});
    f.interval = {-static_cast<i64>(maskBelow(n)) - 1, static_cast<i64>(maskBelow(n))};
  }
  return settled(f);
}

// The value is one of the two: keeps the facts that hold for both.
Facts chosen(const Facts& a, const Facts& b, bool least) {
  const auto pick = [least](i64 x, i64 y) { return least ? std::min(x, y) : std::max(x, y); };
  if (a.interval.hi <= b.interval.lo) return least ? a : b;
  if (b.interval.hi <= a.interval.lo) return least ? b : a;
  Facts f;
  f.interval = {pick(a.interval.lo, b.interval.lo), pick(a.interval.hi, b.interval.hi)};
  const u64 apart = a.remainder < b.remainder ? static_cast<u64>(b.remainder) - static_cast<u64>(a.remainder)
                                              : static_cast<u64>(a.remainder) - static_cast<u64>(b.remainder);
  const u64 m = std::gcd(std::gcd(static_cast<u64>(a.modulus), static_cast<u64>(b.modulus)), apart);
  if (m > 1 && m <= static_cast<u64>(INT64_MAX)) {
    f.modulus = static_cast<i64>(m);
    f.remainder = floorMod(a.remainder, f.modulus);
  }
  f.zeros = a.zeros & b.zeros;
  f.ones = a.ones & b.ones;
  return settled(f);
}

Facts combined(Op op, const Facts& a, const Facts& b) {
  Facts f = op == Op::Add        ? added(a, b)
            : op == Op::Mul      ? multiplied(a, b)
            : op == Op::FloorDiv ? divided(a, b)
            : op == Op::Mod      ? reduced(a, b)
            : op == Op::Xor      ? xored(a, b)
                                 : chosen(a, b, op == Op::Min);
  f.fits = f.fits && a.fits && b.fits;
  return f;
}

}  // namespace

bool Facts::divisibleBy(i64 c) const {
  if (c == 0) return false;
  if (modulus == 0) return remainder % c == 0;
  return modulus % c == 0 && remainder % c == 0;
}

Facts FactBase::of(const Expr& root) {
  const auto atLeaf = [this](const Expr& e) {
    if (e.isConstant()) return ranged({e.value(), e.value()});
    const std::vector<Range>& ranges = e.op() == Op::Digit ? box_.digits : box_.params;
    const auto k = static_cast<std::size_t>(e.index());
    return k < ranges.size() ? ranged(ranges[k]) : Facts{};
  };
  childrenFirstOnce(
      root, [this](const Expr& e) { return known_.has(e); },
      [&](const Expr& e) {
        known_.add(e, isLeaf(e.op()) ? atLeaf(e) : combined(e.op(), known_.at(e.lhs()), known_.at(e.rhs())));
      });
  return known_.at(root);
}

Facts factsOf(const Expr& e, const Environment& box) { return FactBase(box).of(e); }

}  // namespace tessera
