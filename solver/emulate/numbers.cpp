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

}  // namespace tessera::graphene
