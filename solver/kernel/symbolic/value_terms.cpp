#include "solver/kernel/symbolic/value_terms.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>

namespace tessera::kernel {

namespace {

constexpr std::array<std::string_view, 6> kComparisons = {"==", "!=", "<", "<=", ">", ">="};
constexpr std::array<std::string_view, 6> kOpposites = {"!=", "==", ">=", ">", "<=", "<"};

std::optional<std::size_t> comparisonNamed(std::string_view name) {
  for (std::size_t k = 0; k < kComparisons.size(); ++k)
    if (kComparisons[k] == name) return k;
  return std::nullopt;
}

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
  const auto comparison = comparisonNamed(name);
  if (!comparison) return std::nullopt;
  // One way round for each.
  if (name == ">" || name == ">=") return named(name == ">" ? "<" : "<=", y, x);
  return named(name, x, y);
}

Terms::Value ValueTerms::opposite(Terms::Value condition) {
  const Terms::Node node = terms_.node(condition);
  if (node.kind == Terms::Kind::Binary)
    if (const auto at = comparisonNamed(terms_.nameOf(node.operation))) return *binary(kOpposites[*at], node.a, node.b);
  return named("not", condition);
}

Terms::Value ValueTerms::select(Terms::Value condition, Terms::Value x, Terms::Value y) {
  if (x == y) return x;
  const Terms::Node node = terms_.node(condition);
  if (node.kind == Terms::Kind::Binary) {
    const std::string_view name = terms_.nameOf(node.operation);
    const auto is = [&](Terms::Value a, Terms::Value b) { return terms_.equal(node.a, a) && terms_.equal(node.b, b); };
    if (name == "<" || name == "<=") {
      if (is(x, y)) return named("min", x, y);  // a < b ? a : b
      if (is(y, x)) return named("max", x, y);  // a < b ? b : a
    }
  }
  return named("select", condition, named("else", x, y));
}

}  // namespace tessera::kernel
