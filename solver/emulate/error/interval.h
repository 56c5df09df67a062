// Interval and ErrorForm: where an exact value lies, and how far the computed value may be from it.
//
//     [-1, 1] * [-1, 1]                      [-1 - tiny, 1 + tiny]: bounds of doubles are rounded outwards
//     ErrorForm{1e-7, 0, 6e-8}               |computed - exact| <= 1e-7 + 6e-8 |exact|
//     ErrorForm{0, 2e-6, 0}                  |computed - exact| <= 2e-6 sqrt(|exact|): a square, d*d, of d within 1e-6
//
// Why three parts: a fixed part alone loses that exp(x - m) is accurate however small it is, and that the error of a
// sum of squares is small where the sum is. Quotients and roots need both.
//
// Law: every operation contains the result for all values of its operands. Products with a factor 0 are 0. The parts
// of an ErrorForm are sums, products and quotients of positive numbers, whose own rounding is below 1e-9 of them;
// whoever reports a bound adds that.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::graphene {

struct Interval {
  double lo = 0, hi = 0;
  [[nodiscard]] double most() const { return std::fmax(std::fabs(lo), std::fabs(hi)); }
  [[nodiscard]] double least() const { return lo > 0 ? lo : hi < 0 ? -hi : 0; }
  [[nodiscard]] bool isPoint() const { return lo == hi; }
  [[nodiscard]] bool is(double x) const { return lo == x && hi == x; }
  bool operator==(const Interval&) const = default;
};

[[nodiscard]] inline double below(double x) { return std::isfinite(x) ? std::nextafter(x, -HUGE_VAL) : x; }
[[nodiscard]] inline double above(double x) { return std::isfinite(x) ? std::nextafter(x, HUGE_VAL) : x; }

// Widened by one double on each side; what was not negative, or not positive, stays so.
[[nodiscard]] inline Interval outward(double lo, double hi) {
  if (std::isnan(lo) || std::isnan(hi)) return {-HUGE_VAL, HUGE_VAL};
  return {lo == 0 ? 0 : below(lo), hi == 0 ? 0 : above(hi)};
}
// Of finite operands: an overflow is no lower bound.
[[nodiscard]] inline Interval outward(double lo, double hi, const Interval& a, const Interval& b) {
  if (std::isfinite(a.most()) && std::isfinite(b.most())) {
    lo = std::fmin(lo, std::numeric_limits<double>::max());
    hi = std::fmax(hi, std::numeric_limits<double>::lowest());
  }
  return outward(lo, hi);
}
[[nodiscard]] inline Interval operator+(const Interval& a, const Interval& b) {
  return outward(a.lo + b.lo, a.hi + b.hi, a, b);
}
[[nodiscard]] inline Interval operator-(const Interval& a) { return {-a.hi, -a.lo}; }
[[nodiscard]] inline Interval operator-(const Interval& a, const Interval& b) { return a + -b; }
[[nodiscard]] inline Interval operator*(const Interval& a, const Interval& b) {
  if (a.is(0) || b.is(0)) return {0, 0};
  // A factor 0 makes 0, also of an infinite bound, which is a limit. An underflow is not 0.
  const auto times = [](double x, double y) {
    if (x == 0 || y == 0) return 0.0;
    const double out = x * y;
    return out != 0 ? out : (x < 0) == (y < 0) ? 5e-324 : -5e-324;
  };
  const auto [lo, hi] = std::minmax({times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)});
  return outward(lo, hi, a, b);
}
[[nodiscard]] inline Interval square(const Interval& a) {
  const Interval magnitude{a.least(), a.most()};
  return magnitude * magnitude;
}
// Requires: 0 is not in b.
[[nodiscard]] inline Interval operator/(const Interval& a, const Interval& b) {
  return a * outward(1 / b.hi, 1 / b.lo);
}
[[nodiscard]] inline Interval met(const Interval& a, const Interval& b) {
  const Interval out{std::fmax(a.lo, b.lo), std::fmin(a.hi, b.hi)};
  return out.lo <= out.hi ? out : a;
}

struct ErrorForm {
  double fixed = 0, root = 0, relative = 0;
  [[nodiscard]] static ErrorForm unknown() { return {HUGE_VAL, 0, 0}; }
  [[nodiscard]] bool none() const { return fixed == 0 && root == 0 && relative == 0; }
  // Without the relative part: the largest error of an exact value of at most this magnitude.
  [[nodiscard]] double rest(double magnitude) const { return fixed + (root == 0 ? 0 : root * std::sqrt(magnitude)); }
  [[nodiscard]] double at(double magnitude) const {
    const double out = rest(magnitude) + (relative == 0 ? 0 : relative * magnitude);
    return std::isnan(out) ? HUGE_VAL : out;
  }
  // The largest error relative to an exact value of at least this magnitude.
  [[nodiscard]] double relativeTo(double magnitude) const {
    if (fixed == 0 && root == 0) return relative;
    if (!(magnitude > 0)) return HUGE_VAL;
    return fixed / magnitude + root / std::sqrt(magnitude) + relative;
  }
  // After an error of `by` times the computed value, and of `more`.
  [[nodiscard]] ErrorForm rounded(double by, double more) const {
    return {fixed * (1 + by) + more, root * (1 + by), relative + by * (1 + relative)};
  }
  bool operator==(const ErrorForm&) const = default;
};

}  // namespace tessera::graphene
