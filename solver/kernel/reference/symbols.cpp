#include "solver/kernel/reference/symbols.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/work.h"

namespace tessera::kernel::reference {

namespace {

using graphene::Terms;

thread_local Symbols* currentSymbols = nullptr;
constexpr u64 kTag = 0x7ffa000000000000u, kTagBits = 0xffff000000000000u;

}  // namespace

Symbols::Symbols(ValueTerms& values) : values_(values), before_(currentSymbols) { currentSymbols = this; }
Symbols::~Symbols() { currentSymbols = before_; }
Symbols::Hidden::Hidden() : before_(currentSymbols) { currentSymbols = nullptr; }
Symbols::Hidden::~Hidden() { currentSymbols = before_; }
Symbols* Symbols::current() { return currentSymbols; }

double Symbols::element(Terms::Value term) { return std::bit_cast<double>(kTag | term); }
bool Symbols::is(double x) { return (std::bit_cast<u64>(x) & kTagBits) == kTag; }

Terms::Value Symbols::term(double x) {
  return is(x) ? static_cast<Terms::Value>(std::bit_cast<u64>(x)) : values_.constant(x);
}

std::optional<double> Symbols::unary(std::string_view name, double x) {
  const auto out = values_.unary(name, term(x));
  return out ? std::optional(element(*out)) : std::nullopt;
}

std::optional<double> Symbols::binary(std::string_view name, double x, double y) {
  if (name == "**") {
    if (y == 2) return unary("square", x);
    if (y == 3) return binary("*", *unary("square", x), x);
    if (y == 0.5 || y == -0.5) return unary(y > 0 ? "sqrt" : "rsqrt", x);
    if (y == -1) return unary("rcp", x);
    return std::nullopt;
  }
  const auto out = values_.binary(name, term(x), term(y));
  return out ? std::optional(element(*out)) : std::nullopt;
}

std::optional<double> Symbols::fold(std::string_view name, const double* first, i64 count) {
  const auto chain = [&](std::string_view operation, double start, const double* x) {
    double out = start;
    for (i64 k = 0; k < count; ++k) {
      spend();
      out = *binary(operation, out, x[k]);
    }
    return out;
  };
  if (name == "sum") return chain("+", 0, first);
  if (name == "prod") return chain("*", 1, first);
  if (name == "max") return chain("max", -HUGE_VAL, first);
  if (name == "min") return chain("min", HUGE_VAL, first);
  const auto n = static_cast<double>(count);
  if (name == "mean") return binary("/", chain("+", 0, first), n);
  if (name != "var") return std::nullopt;
  const double mean = *binary("/", chain("+", 0, first), n);
  std::vector<double> squares;
  for (i64 k = 0; k < count; ++k) squares.push_back(*unary("square", *binary("-", first[k], mean)));
  return binary("/", chain("+", 0, squares.data()), n);
}

double Symbols::dot(const double* x, i64 strideX, const double* y, i64 strideY, i64 count) {
  std::vector<Terms::Product> products;
  for (i64 k = 0; k < count; ++k) products.emplace_back(term(x[k * strideX]), term(y[k * strideY]));
  return element(values_.terms().add(values_.constant(0), products));
}

double Symbols::select(double condition, double x, double y) {
  return element(values_.select(term(condition), term(x), term(y)));
}

}  // namespace tessera::kernel::reference
