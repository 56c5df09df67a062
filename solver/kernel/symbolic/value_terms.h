// ValueTerms: the terms of operations on numbers, by one set of names for a kernel and its reference.
//
//     v.binary("-", x, y)             x - y              v.unary("log2", x)       log(x) * (1 / ln 2)
//     v.select(x > y, x, y)           max(x, y)          v.constant(0x3dcccccd)   0.1, which the f32 rounds
//     v.select(c, x, y)               c*x + (1 - c)*y: a condition is a number, 0 or 1; there are < and == only
//
// Law: the term has the value of the operation over the real numbers. Rounding is ignored, and so is that of constants:
// a constant of type f32 stands for the number that it rounds (`meantBy`).
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/ptx/module.h"
#include "solver/emulate/terms.h"

namespace tessera::kernel {

// The number that an f32 rounds: a short decimal (0x3dcccccd is 0.1), a fraction with a small divisor (1/96), or one of
// these times log2(e), ln 2, sqrt(2), sqrt(1/2), sqrt(2/pi) or 1/sqrt(pi). Others are themselves.
[[nodiscard]] double meantBy(float value);
// The same for a double that is exactly an f32; other doubles are themselves.
[[nodiscard]] double meantBy(double value);

class ValueTerms {
 public:
  explicit ValueTerms(graphene::Terms& terms) : terms_(terms) {}
  [[nodiscard]] graphene::Terms& terms() { return terms_; }

  [[nodiscard]] graphene::Terms::Value constant(double value);
  // exp exp2 log log2 log10 sqrt rsqrt rcp neg abs relu sigmoid tanh sin cos erf square silu gelu; nullopt: no such.
  [[nodiscard]] std::optional<graphene::Terms::Value> unary(std::string_view name, graphene::Terms::Value x);
  // + - * / max min, and the comparisons == != < <= > >=, whose terms are conditions.
  [[nodiscard]] std::optional<graphene::Terms::Value> binary(std::string_view name, graphene::Terms::Value x,
                                                             graphene::Terms::Value y);
  [[nodiscard]] graphene::Terms::Value multiplyAdd(graphene::Terms::Value a, graphene::Terms::Value b,
                                                   graphene::Terms::Value c) {
    const graphene::Terms::Product product(a, b);
    return terms_.add(c, {&product, 1});
  }
  // x where the condition holds, else y.
  [[nodiscard]] graphene::Terms::Value select(graphene::Terms::Value condition, graphene::Terms::Value x,
                                              graphene::Terms::Value y);
  [[nodiscard]] graphene::Terms::Value opposite(graphene::Terms::Value condition) {
    return named("-", terms_.constant(1), condition);
  }
  // and, or, xor of two conditions.
  [[nodiscard]] graphene::Terms::Value joined(std::string_view join, graphene::Terms::Value x,
                                              graphene::Terms::Value y);
  // A value of its own, about which nothing is known.
  [[nodiscard]] graphene::Terms::Value opaque() { return terms_.input(kOpaque, 0, ++opaque_); }
  [[nodiscard]] static bool isOpaque(const graphene::Terms::Node& node) {
    return node.kind == graphene::Terms::Kind::Input && node.operation == kOpaque;
  }

 private:
  static constexpr int kOpaque = 1 << 20;  // no parameter has this number
  [[nodiscard]] graphene::Terms::Value named(std::string_view name, graphene::Terms::Value x) {
    return terms_.unary(terms_.operation(name), x);
  }
  [[nodiscard]] graphene::Terms::Value named(std::string_view name, graphene::Terms::Value x,
                                             graphene::Terms::Value y) {
    return terms_.binary(terms_.operation(name), x, y);
  }
  [[nodiscard]] graphene::Terms::Value times(double number, graphene::Terms::Value x) {
    return named("*", terms_.constant(number), x);
  }

  graphene::Terms& terms_;
  [[nodiscard]] bool isInfinite(graphene::Terms::Value x) const;

  std::unordered_map<u64, graphene::Terms::Value> constants_;  // by the bits of the number
  struct Order {                                               // a < b, or not
    graphene::Terms::Value a = 0, b = 0;
    bool negated = false;
  };
  std::unordered_map<graphene::Terms::Value, Order> orders_;  // by condition
  i64 opaque_ = 0;
};

}  // namespace tessera::kernel
