// Arithmetic: the operators of C and Python on numbers that depend on coordinates.
//
//     row in [0, 63] of int, 64 of int        row * 64                     d0 * 64, int
//     x of uint32_t, 8 of int                 x - 8                        (x - 8) mod 2^32, uint32_t
//     r, c in [0, 7] of int                   (c - r) % 8                  truncated towards 0
//     the same in Python                      (c - r) % 8                  (c - r) mod 8
//
// A number is an Expr over the coordinates and a type. Laws: where `live` is 1, its value is the language's value of
// the expression; elsewhere it is any number of 64 bits. A value outside a signed type is a Diag with its coordinate;
// an unsigned type wraps. A uint64_t from 2^63 on is kept as a negative number: equal mod 2^64.
// What intervals do not decide is decided by a table of the domain, up to 2^20 points.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/code/run/type.h"
#include "core/expr/expr.h"
#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera::code {

struct Number {
  Expr value;
  Type type;
};

// How `/`, `%` and overflow are.
enum class Rules : unsigned char { C, Python };

class Arithmetic {
 public:
  static constexpr i64 kMostPoints = i64{1} << 20;  // of a table

  Arithmetic(std::vector<Digit> digits, Rules rules);

  [[nodiscard]] const std::vector<Digit>& digits() const { return digits_; }
  [[nodiscard]] Rules rules() const { return rules_; }
  // Adds a coordinate; its number.
  [[nodiscard]] Expr addDigit(Digit digit);
  [[nodiscard]] FactBase& facts() { return facts_; }
  // 0 or 1: where the statement is executed.
  [[nodiscard]] const Expr& live() const { return live_; }
  void setLive(Expr live);

  // `a op b` of C or Python, without && and ||. `written` is the place for messages.
  [[nodiscard]] Result<Number> binary(std::string_view op, const Number& a, const Number& b, Span written);
  [[nodiscard]] Result<Number> negated(const Number& a, Span written);
  [[nodiscard]] Result<Number> complement(const Number& a, Span written);
  // Wraps to the type's range, as every conversion of C does.
  [[nodiscard]] Result<Number> converted(const Number& a, const Type& type, Span written);
  // Both converted to their common type, in the cases of a condition.
  [[nodiscard]] Result<Number> chosen(const Expr& condition, const Number& a, const Number& b, Span written);
  [[nodiscard]] Expr truth(const Number& a) { return notZeroOf(a.value); }
  // Whether a value outside [lo, hi] occurs where it is live; the point is its coordinate.
  struct Outside {
    enum class Answer : unsigned char { Never, Somewhere, Unknown } answer = Answer::Unknown;
    std::vector<i64> point;
    i64 value = 0;
  };
  [[nodiscard]] Outside outside(const Expr& e, i64 lo, i64 hi);
  // "row=3, col=5"
  [[nodiscard]] std::string at(const std::vector<i64>& point) const;

 private:
  [[nodiscard]] Expr notZeroOf(const Expr& e);
  [[nodiscard]] Result<Number> sum(std::string_view op, const Number& a, const Number& b, Span written);
  [[nodiscard]] Result<Number> quotient(std::string_view op, const Number& a, const Number& b, Span written);
  [[nodiscard]] Result<Number> shift(bool left, const Number& a, const Number& b, Span written);
  [[nodiscard]] Result<Number> compare(std::string_view op, const Number& a, const Number& b, Span written);
  [[nodiscard]] Result<Number> power(const Number& a, const Number& b, Span written);
  [[nodiscard]] Expr product(const Expr& a, const Expr& b, const Type& type);
  // The exact result of an operation as a value of its type.
  [[nodiscard]] Result<Number> held(Expr e, const Type& type, std::string_view what, Span written);
  [[nodiscard]] Expr wrapped(const Expr& e, const Type& type);
  [[nodiscard]] Expr shorter(const Expr& e, i64 lo, i64 hi);
  [[nodiscard]] Result<Expr> divisor(const Expr& e, Span written);
  [[nodiscard]] Result<void> notNegative(const Expr& e, const Type& type, std::string_view what, Span written);

  std::vector<Digit> digits_;
  Rules rules_;
  FactBase facts_;
  Expr live_ = Expr::constant(1);
};

}  // namespace tessera::code
