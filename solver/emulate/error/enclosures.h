// Enclosures: the emulator's values as what is known about them before the inputs are: the exact value as a term, the
// interval it lies in, and a bound on the distance of the value that a device computes.
//
//     Enclosures domain(constantMeant);
//     Machine machine(plan, domain);      plan: with the program's types (solver/emulate/machine.h)
//     domain.input(fp16, {-1, 1}, 0, 5)   %A[0,5]: a number of fp16 in [-1, 1], without error
//     %c <- MatMul(%a, %b)                sum of 16 products: in [-16, 16], 18 additions of 2^-23 of |c| + sum |a*b|
//     %h <- Move(%c) to fp16              + 2^-11 of the value; beyond 65504 nothing is known, and `reason` says why
//     %e <- UnaryPointwise<exp>(%d)       the error of d times exp(d), and that of __expf (device_errors.h)
//
// Exact is what a run without rounding gives (Side::exact): over the real numbers, with conversions to integers, and
// with constants that stand for the numbers that they round.
//
// Rules that know more than intervals: a product of equal factors is a square; x / sqrt(sum of squares with x among
// them) is bounded; the weights of a softmax (weights.h).
//
// Law: for all inputs within their intervals, |computed - exact| <= bound(value), where computed is the emulator's
// value on numbers (solver/emulate/numbers.h), or a device's whose instructions keep to device_errors.h
// (tests/emulate/error_test.cpp, tests/equal/within_test.cpp). Unknown values have the bound infinity.
#pragma once

#include <string>

#include "core/graphene/atoms/atom.h"
#include "solver/emulate/error/device_errors.h"
#include "solver/emulate/error/weights.h"

namespace tessera::graphene {

// What the leaf that is executed computes with.
struct LeafTypes {
  NumberFormat operand, result;  // of the first input (output, if there is none) and of the output
  std::string_view element;      // the name of `result`
  bool matrix = false;           // an instruction of several lanes that multiplies
  bool copies = false;
  bool fits = false;  // every input is a number of the output's type
};

class Enclosures {
 public:
  struct Value {
    Terms::Value exact = Terms::undefined();
    ErrorForm error = {};
    WeightShare share = {};
    bool kept = false;  // an operand or its negative, as it is: rounding changes it only if the type is smaller
    bool operator==(const Value&) const = default;
  };
  static constexpr bool kRounds = true;
  static constexpr bool kLazy = false;
  static constexpr bool kEncloses = true;
  // The number that a constant rounds: log2(e) / 8 for 0.18033688.
  using Meaning = double (*)(double constant);

  explicit Enclosures(Meaning meaning) : meaning_(meaning), weights_(terms_) {}

  [[nodiscard]] static Value undefined() { return {}; }
  [[nodiscard]] static Value absent() { return {}; }
  [[nodiscard]] Value constant(double value);
  [[nodiscard]] Value input(int, i64, i64) { return {}; }
  // An element of an input: any number of the type within the interval.
  [[nodiscard]] Value input(const NumberFormat& type, const Interval& range, int tensor, i64 element);
  void describe(int, const NumberFormat&) {}
  [[nodiscard]] int operation(std::string_view name) { return terms_.operation(name); }
  [[nodiscard]] int conversion(const NumberFormat& from, const NumberFormat& to, std::string_view element) {
    return terms_.conversion(real(from), real(to), element);
  }

  void enter(const LeafTypes& leaf) { leaf_ = leaf; }
  [[nodiscard]] Value unary(int operation, const Value& a);
  [[nodiscard]] Value binary(int operation, const Value& a, const Value& b);
  [[nodiscard]] Value integerBinary(int operation, const Value& a, const Value& b, const NumberFormat& type);
  [[nodiscard]] Value multiplyAdd(const Value& base, std::span<const AtomTerm> terms, const Value* a, const Value* b);
  [[nodiscard]] Value integerMultiplyAdd(const Value& base, std::span<const AtomTerm> terms, const Value* a,
                                         const Value* b, const NumberFormat&) {
    return multiplyAdd(base, terms, a, b);
  }
  [[nodiscard]] Value convert(const Value& value, int conversion, const NumberFormat& from, const NumberFormat& to);

  [[nodiscard]] Interval range(const Value& v) const { return rangeOf(v.exact); }
  [[nodiscard]] double bound(const Value& v) const { return v.error.at(rangeOf(v.exact).most()); }
  // Why the first unknown value is unknown.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // The assumptions about the device that the bounds used, each once: "matrix products add with 24 bits, truncated".
  [[nodiscard]] const std::vector<std::string>& assumptions() const { return assumptions_; }
  [[nodiscard]] Terms& terms() { return terms_; }

 private:
  struct Product {
    Interval range;
    ErrorForm error;
    WeightShare share;
  };
  [[nodiscard]] static NumberFormat real(const NumberFormat& type) {
    return type.precision > 0 ? NumberFormat{64, 53, -1022, 1023} : type;
  }
  [[nodiscard]] Interval rangeOf(Terms::Value exact) const {
    const Terms::Node& n = terms_.node(exact);
    if (n.kind == Terms::Kind::Constant) return {n.number, n.number};
    return exact < ranges_.size() ? ranges_[exact] : Interval{-HUGE_VAL, HUGE_VAL};
  }
  void setRange(Terms::Value exact, const Interval& range);
  Value unknown(Terms::Value exact, std::string_view why);
  void assume(std::string text);
  [[nodiscard]] bool known(const Value& v) const { return v.error.fixed < HUGE_VAL; }
  [[nodiscard]] Product product(const Value& a, const Value& b);
  [[nodiscard]] Interval normed(Terms::Value d, Terms::Value root, std::string_view name, const Interval& range);
  [[nodiscard]] const std::map<Terms::Value, double>& squaresIn(Terms::Value sum);
  bool addSquares(Terms::Value sum, double factor, int depth, std::map<Terms::Value, double>& to);
  [[nodiscard]] Value withDevice(Value v, std::string_view operation, double argument);
  [[nodiscard]] Value rounded(Value v, const NumberFormat& to);
  [[nodiscard]] Value converted(const Value& v, Terms::Value exact, const NumberFormat& from, const NumberFormat& to);

  Terms terms_;
  Meaning meaning_;
  Weights weights_;
  std::vector<Interval> ranges_;  // by term; the whole line: not set
  std::unordered_map<Terms::Value, std::map<Terms::Value, double>> squares_;
  LeafTypes leaf_;
  std::string reason_;
  std::vector<std::string> assumptions_;
};

}  // namespace tessera::graphene
