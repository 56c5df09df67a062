#include "core/code/run/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/arith.h"
#include "core/base/work.h"
#include "core/expr/bits.h"
#include "core/expr/simplify.h"
#include "core/map/tabulate.h"

namespace tessera::code {
namespace {

constexpr std::size_t kMostNodes = 200'000;  // of an expression that is simplified before a table is made

Environment boxOf(const std::vector<Digit>& digits) {
  Environment box;
  for (const Digit& d : digits) box.digits.push_back({0, d.extent - 1});
  return box;
}

std::optional<i64> pointsIn(const std::vector<Digit>& digits) {
  i64 points = 1;
  for (const Digit& d : digits)
    if (!mulInto(points, d.extent)) return std::nullopt;
  return points;
}

bool within(const Range& r, i64 lo, i64 hi) { return r.lo >= lo && r.hi <= hi; }

}  // namespace

Arithmetic::Arithmetic(std::vector<Digit> digits, Rules rules)
    : digits_(std::move(digits)), rules_(rules), facts_(boxOf(digits_)) {}

Expr Arithmetic::addDigit(Digit digit) {
  digits_.push_back(std::move(digit));
  facts_ = FactBase(boxOf(digits_));
  return Expr::digit(static_cast<int>(digits_.size()) - 1);
}

void Arithmetic::setLive(Expr live) { live_ = std::move(live); }

Expr Arithmetic::notZeroOf(const Expr& e) { return notZero(e, facts_); }

std::string Arithmetic::at(const std::vector<i64>& point) const {
  std::string text;
  for (std::size_t k = 0; k < point.size() && k < digits_.size(); ++k)
    text += fmt::format("{}{}={}", k == 0 ? "" : ", ", digits_[k].name, point[k] + digits_[k].lo);
  return text;
}

Arithmetic::Outside Arithmetic::outside(const Expr& e, i64 lo, i64 hi) {
  using enum Outside::Answer;
  const Facts& facts = facts_.of(e);
  if (facts.fits && within(facts.interval, lo, hi)) return {Never, {}, 0};
  const auto points = pointsIn(digits_);
  if (!facts.fits || !points || *points > kMostPoints) return {Unknown, {}, 0};
  Result<Map> map = Map::create(digits_, {{"value", e, {}}, {"live", live_, {}}});
  if (!map) return {Unknown, {}, 0};
  const auto values = Tabulator::create(*map, 0, LinearOrder::Lex),
             lives = Tabulator::create(*map, 1, LinearOrder::Lex);
  if (!values || !lives) return {Unknown, {}, 0};
  constexpr i64 kChunk = 1 << 12;
  std::vector<i64> value(kChunk), live(kChunk);
  for (i64 from = 0; from < *points; from += kChunk) {
    const auto count = static_cast<std::size_t>(std::min(kChunk, *points - from));
    spend(static_cast<Work>(count));
    values->fill(from, std::span(value).first(count));
    bool looked = false;
    for (std::size_t k = 0; k < count; ++k) {
      if (value[k] >= lo && value[k] <= hi) continue;
      if (!std::exchange(looked, true)) lives->fill(from, std::span(live).first(count));
      if (live[k] == 0) continue;
      std::vector<i64> extents;
      for (const Digit& d : digits_) extents.push_back(d.extent);
      return {Somewhere, delinearize(from + static_cast<i64>(k), extents, LinearOrder::Lex), value[k]};
    }
  }
  return {Never, {}, 0};
}

// A simpler form if only that has facts that keep e in [lo, hi].
Expr Arithmetic::shorter(const Expr& e, i64 lo, i64 hi) {
  const Facts& facts = facts_.of(e);
  if ((facts.fits && within(facts.interval, lo, hi)) || nodeCount(e) > kMostNodes) return e;
  Expr simple = simplified(e, facts_.box());
  const Facts& now = facts_.of(simple);
  return now.fits && within(now.interval, lo, hi) ? simple : e;
}

Expr Arithmetic::wrapped(const Expr& e, const Type& type) {
  if (type.bits == 0 || type.bits >= 64) return e;
  const i64 size = i64{1} << type.bits;
  if (!type.isSigned) return mod(e, size);
  return mod(e + size / 2, size) - size / 2;
}

Result<Number> Arithmetic::held(Expr e, const Type& type, std::string_view what, Span written) {
  const i64 lo = type.bits >= 64 ? INT64_MIN : leastOf(type), hi = type.bits >= 64 ? INT64_MAX : mostOf(type);
  e = shorter(e, lo, hi);
  const Facts& facts = facts_.of(e);
  if (!facts.fits) return Diag{fmt::format("{} may exceed 64 bits", what), "values below 2^63", "", written};
  if (within(facts.interval, lo, hi)) return Number{std::move(e), type};
  const Outside found = outside(e, lo, hi);
  if (found.answer == Outside::Answer::Never) return Number{std::move(e), type};
  if (!type.isSigned) return Number{wrapped(e, type), type};
  if (found.answer == Outside::Answer::Unknown)
    return Diag{fmt::format("{} is in [{}, {}] by its ranges, which exceeds {}", what, facts.interval.lo,
                            facts.interval.hi, print(type)),
                "a domain of at most 2^20 points, where a table decides, or a wider type", "", written};
  return Diag{fmt::format("{} overflows {}: it is {} at ({})", what, print(type), found.value, at(found.point)),
              fmt::format("a value in [{}, {}]", lo, hi), "a wider type or a smaller domain", written};
}

Result<Number> Arithmetic::converted(const Number& a, const Type& type, Span written) {
  if (type.kind == Type::Kind::Bool) return Number{truth(a), type};
  if (type.bits == 0 || a.type == type) return Number{a.value, type};
  if (type.bits >= 64) {
    if (a.type.bits == 64 || !a.type.isSigned || type.isSigned) return Number{a.value, type};
    return Number{a.value, type};
  }
  const i64 lo = leastOf(type), hi = mostOf(type);
  const Expr e = shorter(a.value, lo, hi);
  if (!facts_.of(e).fits) return Diag{"this value may exceed 64 bits", "values below 2^63", "", written};
  if (within(facts_.of(e).interval, lo, hi)) return Number{e, type};
  if (outside(e, lo, hi).answer == Outside::Answer::Never) return Number{e, type};
  return Number{wrapped(e, type), type};
}

Result<Number> Arithmetic::chosen(const Expr& condition, const Number& a, const Number& b, Span written) {
  if (condition.isConstant()) return condition.isConstant(0) ? b : a;
  Type type = a.type == b.type ? a.type : commonType(a.type, b.type);
  TESSERA_TRY(const Number x, converted(a, type, written));
  TESSERA_TRY(const Number y, converted(b, type, written));
  return Number{selected(condition, x.value, y.value), type};
}

Result<Number> Arithmetic::negated(const Number& a, Span written) {
  return held(a.value * -1, promoted(a.type), "the negation", written);
}

Result<Number> Arithmetic::complement(const Number& a, Span written) {
  const Type type = promoted(a.type);
  if (!type.isSigned && type.bits < 64) return Number{Expr::constant(mostOf(type)) - a.value, type};
  return held(bitNot(a.value), type, "the complement", written);
}

// A product of two numbers of 32 bits may exceed 64 bits before it wraps; then in two halves.
Expr Arithmetic::product(const Expr& a, const Expr& b, const Type& type) {
  Expr whole = a * b;
  if (facts_.of(whole).fits || type.isSigned || type.bits == 0 || type.bits >= 64) return whole;
  const i64 half = i64{1} << (type.bits / 2);
  return mod(a, half) * b + mod(floorDiv(a, half) * mod(b, half), half) * half;
}

Result<Number> Arithmetic::sum(std::string_view op, const Number& a, const Number& b, Span written) {
  const Type type = commonType(a.type, b.type);
  TESSERA_TRY(const Number x, converted(a, type, written));
  TESSERA_TRY(const Number y, converted(b, type, written));
  if (op == "+") return held(x.value + y.value, type, "the sum", written);
  if (op == "-") return held(x.value - y.value, type, "the difference", written);
  return held(product(x.value, y.value, type), type, "the product", written);
}

Result<void> Arithmetic::notNegative(const Expr& e, const Type& type, std::string_view what, Span written) {
  if (type.isSigned || type.bits < 64) return {};
  if (outside(e, 0, INT64_MAX).answer == Outside::Answer::Never) return {};
  return Diag{fmt::format("{} of a 64-bit unsigned value from 2^63 on", what), "values below 2^63", "", written};
}

Result<Expr> Arithmetic::divisor(const Expr& e, Span written) {
  const Range r = facts_.of(e).interval;
  if (r.lo > 0 || (r.hi < 0 && r.lo > INT64_MIN)) return e;
  const Outside zero = outside(notZeroOf(e), 1, 1);
  if (zero.answer == Outside::Answer::Somewhere)
    return Diag{
        zero.point.empty() ? std::string("a division by 0") : fmt::format("a division by 0 at ({})", at(zero.point)),
        "a divisor other than 0", "", written};
  if (zero.answer == Outside::Answer::Never && outside(e, 1, INT64_MAX).answer == Outside::Answer::Never)
    return greatest(e, Expr::constant(1));
  if (zero.answer == Outside::Answer::Never && outside(e, INT64_MIN, -1).answer == Outside::Answer::Never)
    return least(e, Expr::constant(-1));
  if (zero.answer == Outside::Answer::Never)
    return Diag{"this divisor is positive at some coordinates and negative at others", "a divisor of one sign", "",
                written};
  return Diag{fmt::format("this divisor is in [{}, {}], so it can be 0", r.lo, r.hi), "a divisor that is never 0", "",
              written};
}

Result<Number> Arithmetic::quotient(std::string_view op, const Number& a, const Number& b, Span written) {
  const Type type = commonType(a.type, b.type);
  TESSERA_TRY(const Number x, converted(a, type, written));
  TESSERA_TRY(const Number y, converted(b, type, written));
  TESSERA_CHECKED(notNegative(x.value, type, "a quotient", written));
  TESSERA_CHECKED(notNegative(y.value, type, "a quotient", written));
  TESSERA_TRY(const Expr by, divisor(y.value, written));
  Expr of = shorter(x.value, 0, INT64_MAX);
  if (rules_ == Rules::C && facts_.of(of).interval.lo < 0 && outside(of, 0, INT64_MAX).answer == Outside::Answer::Never)
    of = greatest(of, Expr());  // never negative where it matters
  if (op == "%")
    return Number{rules_ == Rules::C ? truncatedRemainder(of, by, facts_) : flooredRemainder(of, by, facts_), type};
  if (op == "//" || rules_ == Rules::Python) return Number{floorDiv(of, by), type};
  return held(truncatedQuotient(of, by, facts_), type, "the quotient", written);
}

Result<Number> Arithmetic::shift(bool left, const Number& a, const Number& b, Span written) {
  const Type type = promoted(a.type);
  const int most = type.bits == 0 || type.bits > kMaxShift ? kMaxShift : type.bits - 1;
  const Outside bad = outside(b.value, 0, most);
  if (bad.answer == Outside::Answer::Somewhere)
    return Diag{bad.point.empty() ? fmt::format("a shift by {}", bad.value)
                                  : fmt::format("a shift by {} at ({})", bad.value, at(bad.point)),
                fmt::format("a shift count from 0 to {}", most), "", written};
  if (bad.answer == Outside::Answer::Unknown)
    return Diag{"this shift count can be outside the type's width", fmt::format("a shift count from 0 to {}", most), "",
                written};
  if (!left) TESSERA_CHECKED(notNegative(a.value, type, "a shift", written));
  if (b.value.isConstant()) {
    const int count = static_cast<int>(b.value.value());
    if (!left) return Number{shiftRight(a.value, count), type};
    const Expr e = shiftLeft(a.value, count);
    return facts_.of(e).fits || type.bits == 0 || type.bits >= 64
               ? converted({e, unboundedInteger()}, type, written)
               : converted({shiftLeft(mod(a.value, i64{1} << (type.bits - count)), count), unboundedInteger()}, type,
                           written);
  }
  const i64 hi = std::min<i64>(facts_.of(b.value).interval.hi, most);
  const Expr count = facts_.of(b.value).interval.lo < 0 || facts_.of(b.value).interval.hi > most
                         ? least(greatest(b.value, Expr()), Expr::constant(most))
                         : b.value;
  const Expr by = powerOfTwo(count, static_cast<int>(hi));
  if (!left) return Number{floorDiv(a.value, by), type};
  const Expr e = a.value * by;
  if (!facts_.of(e).fits) return Diag{"this shift may exceed 64 bits", "values below 2^63", "", written};
  return converted({e, unboundedInteger()}, type, written);
}

Result<Number> Arithmetic::compare(std::string_view op, const Number& a, const Number& b, Span written) {
  const Type type = commonType(a.type, b.type);
  TESSERA_TRY(const Number x, converted(a, type, written));
  TESSERA_TRY(const Number y, converted(b, type, written));
  const Expr one = Expr::constant(1);
  if (!facts_.of(x.value - y.value).fits) return Diag{"this comparison may exceed 64 bits", "", "", written};
  const auto number = [](Expr e) { return Number{std::move(e), boolType()}; };
  if (op == "==") return number(equalTo(x.value, y.value, facts_));
  if (op == "!=") return number(notZero(x.value - y.value, facts_));
  TESSERA_CHECKED(notNegative(x.value, type, "a comparison", written));
  TESSERA_CHECKED(notNegative(y.value, type, "a comparison", written));
  if (op == "<") return number(lessThan(x.value, y.value, facts_));
  if (op == ">") return number(lessThan(y.value, x.value, facts_));
  if (op == "<=") return number(one - lessThan(y.value, x.value, facts_));
  return number(one - lessThan(x.value, y.value, facts_));
}

Result<Number> Arithmetic::power(const Number& a, const Number& b, Span written) {
  const Type type = commonType(a.type, b.type);
  if (a.value.isConstant(2)) return shift(true, {Expr::constant(1), type}, b, written);
  if (!b.value.isConstant() || b.value.value() < 0 || b.value.value() > 62)
    return Diag{"this exponent is not a number from 0 to 62", "a constant exponent", "", written};
  Number product{Expr::constant(1), type};
  for (i64 k = 0; k < b.value.value(); ++k) {
    TESSERA_TRY(product, sum("*", product, a, written));
  }
  return product;
}

Result<Number> Arithmetic::binary(std::string_view op, const Number& a, const Number& b, Span written) {
  if (op == "+" || op == "-" || op == "*") return sum(op, a, b, written);
  if (op == "/" || op == "%" || op == "//") return quotient(op, a, b, written);
  if (op == "<<" || op == ">>") return shift(op == "<<", a, b, written);
  if (op == "**") return power(a, b, written);
  if (op == "==" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">=") return compare(op, a, b, written);
  const bool bools = rules_ == Rules::Python && a.type.kind == Type::Kind::Bool && b.type.kind == Type::Kind::Bool;
  const Type type = bools ? boolType() : commonType(a.type, b.type);
  TESSERA_TRY(const Number x, converted(a, type, written));
  TESSERA_TRY(const Number y, converted(b, type, written));
  if (op == "&") return Number{bitAnd(x.value, y.value, facts_), type};
  if (op == "|") return Number{bitOr(x.value, y.value, facts_), type};
  if (op == "^" && x.value == y.value) return Number{Expr(), type};
  if (op == "^") return Number{x.value ^ y.value, type};
  return Diag{fmt::format("there is no operator {} in index code", op), "an integer operator", "", written};
}

}  // namespace tessera::code
