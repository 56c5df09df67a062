#include "solver/kernel/reference/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solver/kernel/reference/buffers.h"
#include "solver/kernel/reference/evaluate.h"

namespace tessera::kernel::reference {

namespace {

double toleranceOf(const Element& e) {
  if (e.kind != Element::Kind::Float) return 0;
  if (e.bytes == 8) return 1e-9;
  if (e.bytes == 4) return 1e-4;
  return std::ldexp(2, -e.mantissaBits);
}

// An integer of the reference as the buffer's type holds it.
double asHeld(const Element& e, double value) {
  if (e.kind == Element::Kind::Float || !(std::abs(value) < 9e18)) return value;
  return decoded(e, static_cast<u64>(static_cast<i64>(value)));
}

double difference(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  const double d = std::abs(got - want);
  return std::isnan(d) ? HUGE_VAL : d;
}

Compared compare(const std::string& name, const Element& e, const Array& got, const Array& want, double tolerance,
                 Report& report) {
  Compared out{name, got.count(), 0, 0, tolerance > 0 ? tolerance : toleranceOf(e)};
  double largest = 1;
  for (const double x : want.data)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  std::size_t worst = 0;
  for (std::size_t k = 0; k < got.data.size(); ++k) {
    const double error = difference(got.data[k], asHeld(e, want.data[k])) / largest;
    if (error > out.tolerance) ++out.wrong;
    if (error > out.error) worst = k;
    out.error = std::max(out.error, error);
  }
  if (out.wrong == 0) return out;
  Finding f;
  f.kind = Verdict::Wrong;
  f.space = ptx::Space::Global;
  f.bytes = e.bytes;
  f.address = worst * static_cast<u64>(e.bytes);
  f.element = elementText(name, worst, got.shape);
  f.message = fmt::format("{} is {}, and the reference gives {}; {} of {} elements differ by more than {:.2g}",
                          f.element, got.data[worst], want.data[worst], out.wrong, out.elements, out.tolerance);
  f.times = out.wrong;
  report.findings.push_back(std::move(f));
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
  report.verdict = std::min(report.verdict, Verdict::Wrong);
  return out;
}

}  // namespace

Result<std::vector<Compared>> check(std::string_view text, const std::vector<Given>& given, double tolerance,
                                    Report& report) {
  TESSERA_TRY(const std::vector<Assigned> assigned, evaluate(text, arraysOf(given)));
  std::vector<Compared> out;
  for (const Assigned& one : assigned) {
    const std::size_t at = parameterNamed(one.name, given);
    if (at == given.size()) continue;  // a local name
    TESSERA_TRY(const Array want, asBuffer(one.value, given[at], one.name));
    const Element& e = *numbersOf(given[at]);
    const Array got = numbers(e, report.buffers[at], given[at].argument.shape);
    out.push_back(compare(one.name, e, got, want, tolerance, report));
  }
  if (out.empty()) {
    std::string all;
    for (const Given& g : given) all += (all.empty() ? "" : ", ") + g.name;
    return Diag{"the reference assigns to no parameter", "one of " + all,
                "--arg C=f32[64,64]=0 gives a parameter a name"};
  }
  return out;
}

std::string textOf(const Compared& c) {
  if (c.wrong == 0) return fmt::format("{}: {} elements within {:.2g} of the reference", c.name, c.elements, c.error);
  return fmt::format("{}: {} of {} elements differ from the reference, by up to {:.2g}", c.name, c.wrong, c.elements,
                     c.error);
}

}  // namespace tessera::kernel::reference
