// ValueTerms: the terms of operations on numbers, by one set of names for a kernel and its reference.
//
//     v.binary("-", x, y)             x - y              v.unary("log2", x)       log(x) * (1 / ln 2)
//     v.select(x > y, x, y)           max(x, y)          v.constant(0x3dcccccd)   0.1, which the f32 rounds
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

using graphene::Terms;

// The number that an f32 rounds: a short decimal (0x3dcccccd is 0.1), a fraction with a small divisor (1/96), or one of
// these times log2(e), ln 2, sqrt(2), sqrt(1/2), sqrt(2/pi) or 1/sqrt(pi). Others are themselves.
[[nodiscard]] double meantBy(float value);
// The same for a double that is exactly an f32; other doubles are themselves.
[[nodiscard]] double meantBy(double value);

class ValueTerms {
 public:
  explicit ValueTerms(Terms& terms) : terms_(terms) {}
  [[nodiscard]] Terms& terms() { return terms_; }

  [[nodiscard]] Terms::Value constant(double value);
  // exp exp2 log log2 log10 sqrt rsqrt rcp neg abs relu sigmoid tanh sin cos erf square silu gelu; nullopt: another name.
  [[nodiscard]] std::optional<Terms::Value> unary(std::string_view name, Terms::Value x);
  // + - * / max min, and the comparisons == != < <= > >=, whose terms are conditions.
  [[nodiscard]] std::optional<Terms::Value> binary(std::string_view name, Terms::Value x, Terms::Value y);
  [[nodiscard]] Terms::Value multiplyAdd(Terms::Value a, Terms::Value b, Terms::Value c) {
    const Terms::Product product(a, b);
    return terms_.add(c, {&product, 1});
  }
  // x where the condition holds, else y.
  [[nodiscard]] Terms::Value select(Terms::Value condition, Terms::Value x, Terms::Value y);
  [[nodiscard]] Terms::Value opposite(Terms::Value condition);
  // A value of its own, about which nothing is known.
  [[nodiscard]] Terms::Value opaque() { return terms_.input(kOpaque, 0, ++opaque_); }
  [[nodiscard]] static bool isOpaque(const Terms::Node& node) {
    return node.kind == Terms::Kind::Input && node.operation == kOpaque;
  }

 private:
  static constexpr int kOpaque = 1 << 20;  // no parameter has this number
  [[nodiscard]] Terms::Value named(std::string_view name, Terms::Value x) {
    return terms_.unary(terms_.operation(name), x);
  }
  [[nodiscard]] Terms::Value named(std::string_view name, Terms::Value x, Terms::Value y) {
    return terms_.binary(terms_.operation(name), x, y);
  }
  [[nodiscard]] Terms::Value times(double number, Terms::Value x) { return named("*", terms_.constant(number), x); }

  Terms& terms_;
  std::unordered_map<u64, Terms::Value> constants_;  // by the bits of the number
  i64 opaque_ = 0;
};

}  // namespace tessera::kernel
