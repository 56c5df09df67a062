#include "solver/emulate/error/enclosures.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/work_budget.h"

namespace tessera::graphene {
namespace {

constexpr double kMostRelative = 0.5;  // larger relative errors of a divisor or a radicand are unknown
constexpr int kMostSquares = 8;        // depth of a sum of sums
constexpr Interval kLine{-HUGE_VAL, HUGE_VAL};

double halfStep(const NumberFormat& type) { return std::ldexp(1.0, -type.precision); }
double leastStep(const NumberFormat& type) { return std::ldexp(1.0, type.leastExponent - type.precision); }

// A function's values at both ends; the C library is within a few doubles.
Interval increasing(double (*f)(double), const Interval& x, double least, double most) {
  Interval out{f(x.lo), f(x.hi)};
  for (int k = 0; k < 4; ++k) out = outward(out.lo, out.hi);
  return met(out, {least, most});
}

// The errors of two summands with these exact values.
ErrorForm plus(const ErrorForm& a, const Interval& x, const ErrorForm& b, const Interval& y) {
  if (a.none()) return y.lo >= 0 && x.lo >= 0 ? b : ErrorForm{b.at(y.most()), 0, 0};
  if (x.lo >= 0 && y.lo >= 0)  // relative errors do not add, nor do the squares of the roots
    return {a.fixed + b.fixed, std::hypot(a.root, b.root), std::fmax(a.relative, b.relative)};
  return {a.at(x.most()) + b.at(y.most()), 0, 0};
}

// |x'y' - xy| <= |x| e_y + |y| e_x + e_x e_y, where sqrt(|x|) = sqrt(|xy|) / sqrt(|y|).
ErrorForm times(const ErrorForm& a, const Interval& x, const ErrorForm& b, const Interval& y) {
  if (a.none() && b.none()) return {};
  const double X = x.most(), Y = y.most();
  return {Y * (1 + b.relative) * a.fixed + X * (1 + a.relative) * b.fixed + a.rest(X) * b.rest(Y),
          std::sqrt(Y) * (1 + b.relative) * a.root + std::sqrt(X) * (1 + a.relative) * b.root,
          a.relative + b.relative + a.relative * b.relative};
}
// For one exact value: |x| = sqrt(x^2).
ErrorForm squared(const ErrorForm& a, const ErrorForm& b, const Interval& x) {
  const double ra = a.rest(x.most()), rb = b.rest(x.most());
  return {ra * rb, ra * (1 + b.relative) + rb * (1 + a.relative), a.relative + b.relative + a.relative * b.relative};
}

// A fixed error instead, where it is smaller. A relative one is worth more to quotients.
ErrorForm betterOf(const ErrorForm& form, double fixed, const Interval& x) {
  const double most = form.at(x.most());
  return fixed < most && form.rest(x.most()) > most / 2 ? ErrorForm{fixed, 0, 0} : form;
}

std::string placeText(double x) { return fmt::format("{:.3g}", x); }

}  // namespace

void Enclosures::setRange(Terms::Value exact, const Interval& range) {
  if (exact >= ranges_.size()) ranges_.resize(std::max<std::size_t>(exact + 1, ranges_.size() * 2), kLine);
  ranges_[exact] = met(ranges_[exact], range);
}

Enclosures::Value Enclosures::unknown(Terms::Value exact, std::string_view why) {
  if (reason_.empty()) reason_ = why;
  return {exact, ErrorForm::unknown(), {}};
}

void Enclosures::assume(std::string text) {
  if (std::ranges::find(assumptions_, text) == assumptions_.end()) assumptions_.push_back(std::move(text));
}

Enclosures::Value Enclosures::constant(double value) {
  const double meant = std::isfinite(value) ? meaning_(value) : value;
  const Terms::Value exact = terms_.constant(meant);
  setRange(exact, {meant, meant});
  return {exact, {std::isfinite(value) ? std::fabs(value - meant) : 0, 0, 0}, {}};
}

Enclosures::Value Enclosures::input(const NumberFormat& type, const Interval& range, int tensor, i64 element) {
  terms_.describe(tensor, type);
  const Terms::Value exact = terms_.input(tensor, 0, element);
  setRange(exact, met({leastOf(type), mostOf(type)}, range));
  return {exact, {}, {}};
}

// ---- operations

Enclosures::Value Enclosures::unary(int operation, const Value& a) {
  const Terms::Value exact = terms_.unary(operation, a.exact);
  if (exact == Terms::undefined()) return {};
  const std::string name = terms_.nameOf(operation);
  const Interval x = rangeOf(a.exact);
  Value out{exact, a.error, {}, name == "relu" || name == "neg" || name == "id"};
  const double error = a.error.at(x.most()), relative = a.error.relativeTo(x.least());
  const bool exponential = name == "exp" || name == "exp2";
  const auto fails = [&](std::string_view what) {
    return unknown(exact,
                   fmt::format("the argument of {} {}: it is in [{}, {}]", name, what,
                               placeText(x.lo - (known(a) ? error : 0)), placeText(x.hi + (known(a) ? error : 0))));
  };
  // What does not depend on the error: the exact range.
  if (name == "id") {
    setRange(exact, x);
    out.share = a.share;
    return out;
  }
  if (name == "neg") {
    setRange(exact, -x);
    if (a.share.weight != 0) out.share = Weights::times(a.share, {-1, -1}, 0);
    return out;
  }
  if (name == "relu") {
    setRange(exact, {std::fmax(x.lo, 0), std::fmax(x.hi, 0)});
    if (x.lo < 0 && known(a)) out.error = {error, 0, 0};
    return out;
  }
  if (exponential) {
    const bool two = name == "exp2";
    Interval arguments = x;
    if (weights_.exponential(exact, a.exact, two)) arguments.hi = std::fmin(arguments.hi, 0);
    setRange(exact, two ? increasing([](double v) { return std::exp2(v); }, arguments, 0, HUGE_VAL)
                        : increasing([](double v) { return std::exp(v); }, arguments, 0, HUGE_VAL));
    if (!known(a)) return out;
    if (x.is(-HUGE_VAL)) return {exact, {}, {}};
    out.error = {0, 0, std::expm1(two ? error * 0.6931471805599454 : error)};
    if (!std::isfinite(rangeOf(exact).hi) || !std::isfinite(out.error.relative)) return fails("is too large");
    out = withDevice(out, name, x.most() + error);
    out.share = weights_.shareOf(exact, out.error.relative, out.error.rest(1));
    if (out.share.weight != 0) setRange(exact, weights_.range(out.share));
    return out;
  }
  if (name == "tanh" || name == "sigmoid") {
    const bool tanh = name == "tanh";
    setRange(exact, tanh ? increasing([](double v) { return std::tanh(v); }, x, -1, 1)
                         : increasing([](double v) { return 1 / (1 + std::exp(-v)); }, x, 0, 1));
    if (!known(a)) return out;
    out.error = {tanh ? error : error / 4, 0, 0};
    return withDevice(out, name, x.most() + error);
  }
  if (name == "rcp") {
    if (x.least() == 0) return fails("may be 0");
    setRange(exact, Interval{1, 1} / x);
    if (!known(a)) return out;
    if (!(relative < kMostRelative)) return fails("may be 0 after rounding");
    out.error = {0, 0, relative / (1 - relative)};
    weights_.reciprocal(exact, a.share);
    return withDevice(out, name, 0);
  }
  if (name == "sqrt" || name == "rsqrt" || name == "log") {
    const bool root = name == "sqrt";
    if (root ? x.lo < 0 : x.lo <= 0) return fails(root ? "may be negative" : "may be 0 or negative");
    const Interval roots = increasing([](double v) { return std::sqrt(v); }, x, 0, HUGE_VAL);
    setRange(exact, root            ? roots
                    : name == "log" ? increasing([](double v) { return std::log(v); }, x, -HUGE_VAL, HUGE_VAL)
                                    : Interval{1, 1} / roots);
    if (!known(a)) return out;
    if (root && a.error.none()) return withDevice(out, name, 0);
    if (!(relative < kMostRelative)) return fails(root ? "may be negative after rounding" : "may be 0 after rounding");
    const double shrunk = 1 - relative;
    if (name == "log")
      out.error = {-std::log1p(-relative), 0, 0};
    else
      out.error = {0, 0, root ? relative : relative / shrunk};  // above 1 - sqrt(1 - r) and 1 / sqrt(1 - r) - 1
    return withDevice(out, name, 0);
  }
  return unknown(exact, fmt::format("no bound for the error of {} is known", name));
}

Enclosures::Value Enclosures::withDevice(Value v, std::string_view operation, double argument) {
  const auto device = deviceError(operation, leaf_.operand);
  if (!device) return unknown(v.exact, fmt::format("no bound for the error of {} is known", operation));
  const double by = device->relative(argument);
  if (by != 0) {
    assume("functions as accurate as the CUDA guide says");
    v.error = v.error.rounded(by, device->absolute);
    if (v.share.weight != 0) v.share = v.share.rounded(by, device->absolute);
  }
  return v;
}

Enclosures::Product Enclosures::product(const Value& a, const Value& b) {
  const Interval x = rangeOf(a.exact), y = rangeOf(b.exact);
  Product out;
  if (a.exact == b.exact) {
    out.range = square(x);
    out.error = squared(a.error, b.error, x);
    return out;
  }
  out.range = x * y;
  const bool infiniteX = !std::isfinite(x.most()), infiniteY = !std::isfinite(y.most());
  if (infiniteX || infiniteY) {  // 0 * infinity is no number
    if (x.least() == 0 || y.least() == 0) out.range = kLine;
    const auto sure = [&](const Value& v, const Interval& i) {  // infinite, or of one sign also when computed
      return (i.isPoint() && std::isinf(i.lo) && v.error.none()) ||
             (std::isfinite(i.most()) && i.least() > v.error.at(i.most()));
    };
    if (!sure(a, x) || !sure(b, y)) out.error = ErrorForm::unknown();
    return out;
  }
  if (out.range.is(0) && (x.is(0) ? a : b).error.none()) return out;
  out.error = times(a.error, x, b.error, y);
  if (a.share.weight == 0 && b.share.weight == 0) return out;
  std::optional<WeightShare> share = weights_.scaled(a.share, b.exact, b.error);
  if (!share) share = weights_.scaled(b.share, a.exact, a.error);
  if (!share) share = weights_.divided(a.share, b.exact, b.error);
  if (!share) share = weights_.divided(b.share, a.exact, a.error);
  if (!share)
    share = a.share.weight != 0 ? Weights::times(a.share, y, b.error.at(y.most()))
                                : Weights::times(b.share, x, a.error.at(x.most()));
  out.share = *share;
  out.range = met(out.range, weights_.range(out.share));
  out.error = betterOf(out.error, weights_.error(out.share), out.range);
  return out;
}

Enclosures::Value Enclosures::binary(int operation, const Value& a, const Value& b) {
  const Terms::Value exact = terms_.binary(operation, a.exact, b.exact);
  if (exact == Terms::undefined()) return {};
  const std::string name = terms_.nameOf(operation);
  const Interval x = rangeOf(a.exact), y = rangeOf(b.exact);
  const bool both = known(a) && known(b);
  const double ea = a.error.at(x.most()), eb = b.error.at(y.most());
  Value out{exact, {}, {}};
  if (!both) out.error = ErrorForm::unknown();
  if (name == "max" || name == "min") {
    out.kept = true;
    const bool max = name == "max";
    setRange(exact, max ? Interval{std::fmax(x.lo, y.lo), std::fmax(x.hi, y.hi)}
                        : Interval{std::fmin(x.lo, y.lo), std::fmin(x.hi, y.hi)});
    if (max) weights_.maximum(exact, a.exact, b.exact);
    if (both) out.error = {std::fmax(ea, eb), 0, 0};
    return out;
  }
  if (name == "+") {
    const bool left = x.is(0) && a.error.none(), right = y.is(0) && b.error.none();
    if (left || right) {  // nothing is rounded
      setRange(exact, left ? y : x);
      return {exact, left ? b.error : a.error, left ? b.share : a.share, true};
    }
    setRange(exact, x + y);
    if (!both) return out;
    if (rangeOf(exact).isPoint() && std::isinf(rangeOf(exact).lo)) return out;
    out.error = plus(a.error, x, b.error, y);
    if (const auto share = weights_.sum(a.share, b.share)) {
      out.share = *share;
      setRange(exact, weights_.range(*share));
    }
    return out;
  }
  if (name == "-") {
    setRange(exact, a.exact == b.exact ? Interval{0, 0} : x - y);
    if (!both) return out;
    if (x.isPoint() && std::isinf(x.lo) && std::isfinite(y.most())) return out;  // -inf - y is -inf for every y
    out.error = {ea + eb, 0, 0};
    return out;
  }
  if (name == "*") {
    const Product p = product(a, b);
    setRange(exact, normed(b.exact, a.exact, "rsqrt", normed(a.exact, b.exact, "rsqrt", p.range)));
    if (!both) return out;
    out.error = p.error;
    out.share = p.share;
    return withDevice(out, name, 0);
  }
  if (name == "/") {
    const double relative = b.error.relativeTo(y.least());
    const auto fails = [&](std::string_view what) {
      return unknown(exact, fmt::format("a divisor {}: it is in [{}, {}]", what, placeText(y.lo), placeText(y.hi)));
    };
    if (y.least() == 0) return fails("may be 0");
    setRange(exact, normed(a.exact, b.exact, "sqrt", x / y));
    if (!both) return out;
    if (!(relative < kMostRelative)) return fails("may be 0 after rounding");
    const double inverse = 1 / (1 - relative), least = y.least();
    out.error = {a.error.fixed / least * inverse, a.error.root / std::sqrt(least) * inverse,
                 (a.error.relative + relative) * inverse};
    if (const auto share = weights_.divided(a.share, b.share, b.error)) {
      out.share = *share;
      setRange(exact, weights_.range(*share));
      out.error = betterOf(out.error, weights_.error(*share), rangeOf(exact));
    }
    return withDevice(out, name, 0);
  }
  return unknown(exact, fmt::format("no bound for the error of {} is known", name));
}

Enclosures::Value Enclosures::integerBinary(int operation, const Value& a, const Value& b, const NumberFormat& type) {
  const std::string& name = terms_.nameOf(operation);
  if (name != "/") return binary(operation, a, b);
  const Terms::Value exact = terms_.integerBinary(operation, a.exact, b.exact, type);
  if (exact == Terms::undefined()) return {};
  if (!a.error.none() || !b.error.none()) return unknown(exact, "a quotient of integers that are not exact");
  const Interval y = rangeOf(b.exact);
  if (y.least() == 0) return unknown(exact, "an integer divisor may be 0");
  const Interval q = rangeOf(a.exact) / y;
  setRange(exact, {std::trunc(q.lo), std::trunc(q.hi)});
  return {exact, {}, {}};
}

Enclosures::Value Enclosures::multiplyAdd(const Value& base, std::span<const AtomTerm> terms, const Value* a,
                                          const Value* b) {
  std::vector<Terms::Value> left, right;
  for (const AtomTerm& t : terms) {
    left.push_back(a[t.a].exact);
    right.push_back(b[t.b].exact);
  }
  const Terms::Value exact = terms_.addRows(base.exact, terms_.row(left), terms_.row(right));
  if (exact == Terms::undefined()) return {};
  spend(static_cast<i64>(terms.size()));
  const Interval start = rangeOf(base.exact);
  const bool fromZero = start.is(0) && base.error.none();
  Interval range = start;
  Value out{exact, base.error, base.share};
  bool all = known(base), positive = start.lo >= 0, shares = fromZero || base.share.weight != 0;
  double magnitude = start.most() + base.error.at(start.most()), squares = base.error.root * base.error.root;
  double fixed = 0, apart = base.error.at(start.most());
  int nonzero = fromZero ? 0 : 1;
  for (const AtomTerm& t : terms) {
    const Value &x = a[t.a], &y = b[t.b];
    all = all && known(x) && known(y);
    const Product p = product(x, y);
    if (p.range.is(0) && p.error.none()) continue;
    ++nonzero;
    const double error = p.error.at(p.range.most());
    magnitude += p.range.most() + error;
    apart += error;
    fixed += p.error.fixed;
    squares += p.error.root * p.error.root;
    out.error.relative = std::fmax(out.error.relative, p.error.relative);
    positive = positive && p.range.lo >= 0;
    range = range + p.range;
    if (!shares) continue;
    const auto sum = out.share.weight == 0 ? std::optional(p.share) : weights_.sum(out.share, p.share);
    shares = sum && sum->weight != 0;
    if (shares) out.share = *sum;
  }
  setRange(exact, range);
  if (!shares) out.share = {};
  if (!all) return {exact, ErrorForm::unknown(), {}};
  if (range.isPoint() && std::isinf(range.lo) && std::isfinite(apart)) return {exact, {}, {}};
  const double by =
      nonzero == 0 ? 0
                   : accumulation(leaf_.operand, leaf_.result, leaf_.matrix, static_cast<int>(terms.size())).relative;
  if (by != 0 && leaf_.matrix)
    assume(leaf_.operand.bits == 8 ? "matrix products of fp8 add in any order, truncated to 14 bits"
                                   : "matrix products add in any order, truncated to 24 bits");
  out.error = positive ? ErrorForm{out.error.fixed + fixed, std::sqrt(squares), out.error.relative}.rounded(by, 0)
                       : ErrorForm{apart + by * magnitude, 0, 0};
  if (out.share.weight != 0) {
    out.share = out.share.rounded(by, 0);
    setRange(exact, weights_.range(out.share));
  }
  return out;
}

// ---- sums of squares

// sum = w1 * d1^2 + w2 * d2^2 + ... + what is not negative: the weights by d.
bool Enclosures::addSquares(Terms::Value sum, double factor, int depth, std::map<Terms::Value, double>& to) {
  if (depth > kMostSquares || !(factor > 0)) return false;
  const Terms::Sum parts = terms_.sum(sum);
  spend(static_cast<i64>(parts.terms.size() + parts.products.size()) + 1);
  const auto isNumber = [&](Terms::Value x) { return terms_.node(x).kind == Terms::Kind::Constant; };
  if (parts.constant < 0) return false;
  for (const auto& [t, times] : parts.terms) {
    if (!(rangeOf(t).lo >= 0)) return false;
    const Terms::Node n = terms_.node(t);
    if (n.kind != Terms::Kind::Binary || terms_.nameOf(n.operation) != "/" || !(rangeOf(n.b).lo > 0)) continue;
    std::map<Terms::Value, double> quotients;
    if (!addSquares(n.a, factor * static_cast<double>(times) / rangeOf(n.b).hi, depth + 1, quotients)) continue;
    for (const auto& [d, w] : quotients) to[d] += w;
  }
  for (const auto& [p, times] : parts.products) {
    auto [x, y] = p;
    const double w = factor * static_cast<double>(times);
    if (x == y) {
      to[x] += w;
      continue;
    }
    if (isNumber(x)) std::swap(x, y);
    if (!isNumber(y) || !addSquares(x, w * terms_.node(y).number, depth + 1, to)) return false;
  }
  return true;
}

const std::map<Terms::Value, double>& Enclosures::squaresIn(Terms::Value sum) {
  const auto [at, fresh] = squares_.try_emplace(sum);
  if (fresh) {
    std::map<Terms::Value, double> found;
    if (addSquares(sum, 1, 0, found)) at->second = std::move(found);
  }
  return at->second;
}

// d * rsqrt(S) or d / sqrt(S), the function `name` of S: at most 1 / sqrt(w), where w * d^2 is part of S.
Interval Enclosures::normed(Terms::Value d, Terms::Value root, std::string_view name, const Interval& range) {
  const Terms::Node n = terms_.node(root);
  if (n.kind != Terms::Kind::Unary || terms_.nameOf(n.operation) != name) return range;
  const std::map<Terms::Value, double>& squares = squaresIn(n.a);
  const auto at = squares.find(terms_.canonical(d));
  if (at == squares.end()) return range;
  const double most = (1 + 1e-12) / std::sqrt(at->second);
  return met(range, {-most, most});
}

// ---- conversions

Enclosures::Value Enclosures::convert(const Value& v, int conversion, const NumberFormat& from,
                                      const NumberFormat& to) {
  if (v.exact == Terms::undefined()) return v;
  const Terms::Value exact = terms_.convert(v.exact, conversion, real(from), real(to));
  return converted(v, exact, from, to);
}

Enclosures::Value Enclosures::converted(const Value& v, Terms::Value exact, const NumberFormat& from,
                                        const NumberFormat& to) {
  const Interval x = rangeOf(v.exact);
  Value out{exact, v.error, v.share};
  const double error = known(v) ? v.error.at(x.most()) : HUGE_VAL, most = x.most() + error;
  if (to.precision == 0) {
    const bool exactly = v.error.none() && from.precision == 0;
    setRange(exact, exactly || from.precision == 0
                        ? x
                        : Interval{std::fmax(std::trunc(x.lo), leastOf(to)), std::fmin(std::trunc(x.hi), mostOf(to))});
    if (!known(v)) return {exact, ErrorForm::unknown(), {}};
    if (x.lo - error < leastOf(to) || x.hi + error > mostOf(to))
      return unknown(exact, fmt::format("values up to {} exceed {}", placeText(most), leaf_.element));
    // Two numbers that are `error` apart are truncated to integers that are at most error + 1 apart.
    out.share = {};
    out.error = {from.precision == 0 || v.error.none() ? error : std::floor(error) + 1, 0, 0};
    return out;
  }
  if (exact != v.exact) setRange(exact, x);
  if (!known(v)) return out;
  if (x.isPoint() && std::isinf(x.lo) && v.error.none()) return out;
  if ((v.kept || leaf_.copies) && leaf_.fits) return out;
  if (x.isPoint() && v.error.relative == 0 && v.error.root == 0 && v.error.fixed == 0) {
    out.error.fixed = std::fabs(graphene::rounded(x.lo, to) - x.lo);
    if (!std::isfinite(out.error.fixed))
      return unknown(exact, fmt::format("{} exceeds {}", placeText(x.lo), leaf_.element));
    return out;
  }
  // Whole numbers that the type holds.
  if (from.precision == 0 && std::floor(error) == error && most <= std::ldexp(1.0, to.precision)) return out;
  return rounded(out, to);
}

Enclosures::Value Enclosures::rounded(Value v, const NumberFormat& to) {
  const Interval x = rangeOf(v.exact);
  const double error = v.error.at(x.most()), most = x.most() + error, by = halfStep(to);
  double more = x.least() - error >= std::ldexp(1.0, to.leastExponent) ? 0 : leastStep(to);
  if (!std::isfinite(most)) return unknown(v.exact, "the error of a value has no bound");
  if (most > mostOf(to) * (1 + by / 2)) {  // half a step beyond the largest number
    if (!to.saturates)
      return unknown(v.exact, fmt::format("values up to {} exceed {}, whose largest number is {}", placeText(most),
                                          leaf_.element, placeText(mostOf(to))));
    more += most - mostOf(to);
    v.share = {};
  }
  v.error = v.error.rounded(by, more);
  if (v.share.weight != 0) v.share = v.share.rounded(by, more);
  return v;
}

}  // namespace tessera::graphene
