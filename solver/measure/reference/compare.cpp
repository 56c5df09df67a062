#include "solver/measure/reference/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tessera::measure {
namespace {

double distance(double expected, double actual) {
  if (std::isnan(expected) && std::isnan(actual)) return 0;
  if (std::isinf(expected) && expected == actual) return 0;
  const double d = std::fabs(expected - actual);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

std::string complaintOf(const Comparison& c, const Operand& o, bool farOff) {
  const std::string worst = fmt::format("{} is {:.6g} instead of {:.6g}", o.print(c.worst), c.actual, c.expected);
  if (c.unwritten > 0)
    return fmt::format("%{} is wrong: {} of {} elements were never written; {}", c.output, c.unwritten, c.compared,
                       worst);
  if (c.relativeError > c.tolerance.relative || std::isnan(c.relativeError))
    return fmt::format("%{} is wrong: relative error {:.3g}, at most {:.3g} is rounding; {}", c.output, c.relativeError,
                       c.tolerance.relative, worst);
  return farOff ? fmt::format("%{} is wrong in an element: {}", c.output, worst) : "";
}

}  // namespace

Tolerance toleranceOf(const graphene::NumberFormat& type, const Rounding& rounding) {
  if (type.precision == 0) return {0, 0.5 / 1e6};  // integers are exact
  const auto unit = [&](int precision) { return std::ldexp(1.0, -std::min(precision, type.precision)); };
  // Values get a few roundings; rounded sums get many, and fp32 sums come in another order.
  double relative = std::max(4 * unit(rounding.values > 0 ? rounding.values : type.precision), 1e-4);
  if (rounding.sums > 0) relative = std::max(relative, 64 * unit(rounding.sums));
  return {relative, 16 * relative};
}

std::vector<i64> elementsToCompare(i64 elements, i64 most, u64 seed) {
  std::vector<i64> out;
  if (elements <= most) {
    for (i64 e = 0; e < elements; ++e) out.push_back(e);
    return out;
  }
  constexpr i64 kCorner = 64;
  for (i64 e = 0; e < std::min(kCorner, most / 2); ++e) {
    out.push_back(e);
    out.push_back(elements - 1 - e);
  }
  std::mt19937_64 random(seed);
  while (static_cast<i64>(out.size()) < most) out.push_back(static_cast<i64>(random() % static_cast<u64>(elements)));
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Comparison notCompared(const Operand& output, const std::string& why) {
  return {.output = output.name, .elements = output.elements, .why = why};
}

Comparison compared(const Inputs& inputs, int operand, const std::vector<i64>& elements,
                    const std::vector<double>& expected, const Tolerance& tolerance) {
  const Operand& o = inputs.operands()[operand];
  Comparison out = notCompared(o, "");
  out.compared = static_cast<i64>(std::min(elements.size(), expected.size()));
  out.tolerance = tolerance;
  const auto count = static_cast<std::size_t>(out.compared);
  double squares = 0, wrong = 0;
  for (std::size_t k = 0; k < count; ++k)
    if (std::isfinite(expected[k])) squares += expected[k] * expected[k];
  const double typical = count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
  double worst = -1;
  bool farOff = false;
  for (std::size_t k = 0; k < count; ++k) {
    const double actual = inputs.result(operand, elements[k]);
    // Below the type's normal range the nearest representable value is right at any relative distance: 1e-30 is 0 in
    // fp16.
    const bool small = o.type.precision > 0 && std::fabs(expected[k]) < std::ldexp(1.0, o.type.leastExponent);
    const double d = small && actual == graphene::rounded(expected[k], o.type) ? 0 : distance(expected[k], actual);
    // If the expected value itself is poison, the element counts as written.
    if (d != 0 && inputs.poisoned(operand, elements[k])) ++out.unwritten;
    wrong += d * d;
    const double size = std::isfinite(expected[k]) ? std::fabs(expected[k]) : 0;
    farOff = farOff || d > tolerance.element * (size + typical);
    if (d <= worst) continue;
    worst = d;
    out.worst = elements[k];
    out.expected = expected[k];
    out.actual = actual;
  }
  if (count == 0) return out;
  out.coordinate = o.coordinate(out.worst);
  out.relativeError = wrong == 0     ? 0
                      : squares == 0 ? std::numeric_limits<double>::infinity()
                                     : std::sqrt(wrong / squares);
  out.complaint = complaintOf(out, o, farOff);
  out.good = out.complaint.empty();
  return out;
}

}  // namespace tessera::measure
