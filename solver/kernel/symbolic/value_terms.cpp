#include "solver/kernel/symbolic/value_terms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <numbers>

namespace tessera::kernel {

namespace {

using graphene::Terms;

// A decimal of at most six digits, or a fraction with a divisor of at most 4096, that `value` rounds.
std::optional<double> simple(double value, const auto& rounds) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 5).ptr;
  double decimal = 0;
  std::from_chars(text.data(), end, decimal);
  if (rounds(decimal)) return decimal;
  for (int divisor = 3; divisor <= 4096; ++divisor) {
    const double whole = std::round(value * divisor);
    if (whole != 0 && std::fabs(whole) <= 64 && rounds(whole / divisor)) return whole / divisor;
  }
  return std::nullopt;
}

}  // namespace

double meantBy(float value) {
  const double given = value;
  if (!std::isfinite(value) || value == std::round(value)) return given;
  // expf subtracts log2(e) in two parts: the second is what the first leaves.
  if (value == 0x1.4ae0cp-26f) return 0;
  const auto rounds = [&](double x) { return static_cast<float>(x) == value; };
  if (const auto found = simple(given, rounds)) return *found;
  using namespace std::numbers;
  for (const double factor : {log2e, ln2, sqrt2, 1 / sqrt2, std::sqrt(2 / pi), inv_sqrtpi}) {
    const auto found = simple(given / factor, [&](double x) { return rounds(x * factor); });
    if (found) return *found * factor;
  }
  return given;
}

double meantBy(double value) {
  const auto single = static_cast<float>(value);
  return static_cast<double>(single) == value ? meantBy(single) : value;
}

Terms::Value ValueTerms::constant(double value) {
  if (std::isnan(value)) return opaque();  // it is no real number, and not equal to itself
  const auto [at, made] = constants_.try_emplace(std::bit_cast<u64>(value), Terms::undefined());
  if (made) at->second = terms_.constant(meantBy(value));
  return at->second;
}

std::optional<Terms::Value> ValueTerms::unary(std::string_view name, Terms::Value x) {
  for (const std::string_view plain :
       {"exp", "exp2", "log", "sqrt", "rsqrt", "rcp", "neg", "relu", "sigmoid", "tanh", "sin", "cos", "erf"})
    if (name == plain) return named(name, x);
  if (name == "log2") return times(1 / std::numbers::ln2, named("log", x));
  if (name == "log10") return times(1 / std::numbers::ln10, named("log", x));
  if (name == "abs") return named("max", x, named("neg", x));
  if (name == "square") return named("*", x, x);
  if (name == "silu") return named("*", x, named("sigmoid", x));
  if (name == "gelu")
    return named("*", times(0.5, x), named("+", terms_.constant(1), named("erf", times(1 / std::numbers::sqrt2, x))));
  return std::nullopt;
}

std::optional<Terms::Value> ValueTerms::binary(std::string_view name, Terms::Value x, Terms::Value y) {
  for (const std::string_view plain : {"+", "-", "*", "/", "max", "min"})
    if (name == plain) return named(name, x, y);
  if (name == "==") return named("==", std::min(x, y), std::max(x, y));
  if (name == "!=") return opposite(*binary("==", x, y));
  if (name == ">" || name == "<=") std::swap(x, y);
  const bool negated = name == "<=" || name == ">=";
  if (name != "<" && name != ">" && !negated) return std::nullopt;
  Terms::Value out = named("<", x, y);
  if (negated) out = opposite(out);
  orders_.emplace(out, Order{x, y, negated});
  return out;
}

Terms::Value ValueTerms::joined(std::string_view join, Terms::Value x, Terms::Value y) {
  const Terms::Value both = named("*", x, y);
  if (join == "and") return both;
  return named("-", named("+", x, y), join == "or" ? both : named("+", both, both));
}

bool ValueTerms::isInfinite(Terms::Value x) const {
  const Terms::Node& node = terms_.node(x);
  return node.kind == Terms::Kind::Constant && std::isinf(node.number);
}

Terms::Value ValueTerms::select(Terms::Value condition, Terms::Value x, Terms::Value y) {
  if (x == y) return x;
  if (const auto found = orders_.find(condition); found != orders_.end()) {
    const auto [a, b, negated] = found->second;
    if (negated) std::swap(x, y);  // a < b ? x : y
    if (terms_.equal(a, x) && terms_.equal(b, y)) return named("min", x, y);
    if (terms_.equal(a, y) && terms_.equal(b, x)) return named("max", x, y);
    if (negated) std::swap(x, y);
  }
  // 0 times infinity is no number.
  if (isInfinite(x) || isInfinite(y)) return named("select", condition, named("else", x, y));
  return named("+", named("*", condition, x), named("*", opposite(condition), y));
}

}  // namespace tessera::kernel
