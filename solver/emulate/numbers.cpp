#include "solver/emulate/numbers.h"

#include <algorithm>
#include <iterator>

namespace tessera::graphene {
namespace {

struct Row {
  std::string_view name;
  double (*unary)(double);
  double (*binary)(double, double);
};
constexpr Row kRows[] = {
    {"id", [](double a) { return a; }, nullptr},
    {"exp", [](double a) { return std::exp(a); }, nullptr},
    {"exp2", [](double a) { return std::exp2(a); }, nullptr},
    {"relu", [](double a) { return a > 0 ? a : 0.0; }, nullptr},
    {"neg", [](double a) { return -a; }, nullptr},
    {"abs", [](double a) { return std::fabs(a); }, nullptr},
    {"rcp", [](double a) { return 1 / a; }, nullptr},
    {"sqrt", [](double a) { return std::sqrt(a); }, nullptr},
    {"rsqrt", [](double a) { return 1 / std::sqrt(a); }, nullptr},
    {"tanh", [](double a) { return std::tanh(a); }, nullptr},
    {"sigmoid", [](double a) { return 1 / (1 + std::exp(-a)); }, nullptr},
    {"log", [](double a) { return std::log(a); }, nullptr},
    {"+", nullptr, [](double a, double b) { return a + b; }},
    {"-", nullptr, [](double a, double b) { return a - b; }},
    {"*", nullptr, [](double a, double b) { return a * b; }},
    {"/", nullptr, [](double a, double b) { return a / b; }},
    {"max", nullptr, [](double a, double b) { return std::fmax(a, b); }},
    {"min", nullptr, [](double a, double b) { return std::fmin(a, b); }},
};

}  // namespace

int Numbers::operation(std::string_view name) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.name == name; });
  return row == std::end(kRows) ? -1 : static_cast<int>(row - std::begin(kRows));
}

double Numbers::unary(int operation, double a) {
  double (*const f)(double) = operation < 0 ? nullptr : kRows[operation].unary;
  return f != nullptr ? f(a) : undefined();
}
double Numbers::binary(int operation, double a, double b) {
  double (*const f)(double, double) = operation < 0 ? nullptr : kRows[operation].binary;
  return f != nullptr ? f(a, b) : undefined();
}

namespace {

// The bits of an integer below 2^63 held in a double.
u64 bitsOf(double value) { return static_cast<u64>(static_cast<i64>(value)); }
double lowOf(u64 bits, const NumberFormat& type) {
  const u64 mask = (u64{1} << type.bits) - 1;
  return wrapped(static_cast<double>(bits & mask), type);
}
bool isWhole(double value) { return std::fabs(value) < 0x1p63; }

}  // namespace

double Numbers::integerBinary(int operation, double a, double b, const NumberFormat& type) {
  if (operation >= 0 && kRows[operation].name == "*" && type.precision == 0 && type.bits < 64 && isWhole(a) &&
      isWhole(b))
    return lowOf(bitsOf(a) * bitsOf(b), type);
  const double out = binary(operation, a, b);
  return operation >= 0 && kRows[operation].name == "/" ? std::trunc(out) : out;
}

double Numbers::integerMultiplyAdd(double base, std::span<const AtomTerm> terms, const double* a, const double* b,
                                   const NumberFormat& type) {
  if (type.precision > 0 || type.bits >= 64 || !isWhole(base)) return multiplyAdd(base, terms, a, b);
  u64 sum = bitsOf(base);
  for (const AtomTerm& t : terms) {
    if (!isWhole(a[t.a]) || !isWhole(b[t.b])) return undefined();
    sum += bitsOf(a[t.a]) * bitsOf(b[t.b]);
  }
  return lowOf(sum, type);
}

}  // namespace tessera::graphene
