#include "solver/kernel/reference/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "solver/kernel/reference/evaluate.h"

namespace tessera::kernel::reference {

namespace {

// nullptr: the elements are not numbers.
const Element* numbersOf(const Given& g) {
  const Element* const e = elementNamed(g.argument.element);
  return e != nullptr && e->kind != Element::Kind::Bits ? e : nullptr;
}

u64 bitsAt(const std::vector<std::byte>& bytes, std::size_t at, int width) {
  u64 out = 0;
  for (int k = width; k-- > 0;) out = out << 8 | static_cast<u64>(bytes[at + static_cast<std::size_t>(k)]);
  return out;
}

Array numbers(const Element& e, const std::vector<std::byte>& bytes, const std::vector<i64>& shape) {
  Array out{shape, {}, Array::Kind::Float};
  if (e.kind == Element::Kind::Bool) out.kind = Array::Kind::Bool;
  if (e.kind == Element::Kind::Signed || e.kind == Element::Kind::Unsigned) out.kind = Array::Kind::Integer;
  const auto width = static_cast<std::size_t>(e.bytes);
  for (std::size_t at = 0; at + width <= bytes.size(); at += width)
    out.data.push_back(decoded(e, bitsAt(bytes, at, e.bytes)));
  return out;
}

bool isArray(const Argument& a) { return a.kind == Argument::Kind::Buffer || a.kind == Argument::Kind::TensorMap; }

// The bytes before the run; of a tensor map, the elements of its tensor.
std::vector<std::byte> bytesBefore(const std::vector<Given>& given, std::size_t k) {
  const Argument& a = given[k].argument;
  if (a.kind != Argument::Kind::TensorMap) return a.bytes;
  return elementsOf(*a.map,
                    a.map->buffer < 0 ? a.bytes : given[static_cast<std::size_t>(a.map->buffer)].argument.bytes);
}

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

std::string elementText(const std::string& name, std::size_t at, const std::vector<i64>& shape) {
  std::vector<i64> index(shape.size());
  i64 rest = static_cast<i64>(at);
  for (std::size_t k = shape.size(); k-- > 0;) {
    index[k] = rest % std::max<i64>(shape[k], 1);
    rest /= std::max<i64>(shape[k], 1);
  }
  return fmt::format("{}[{}]", name, fmt::join(index, ","));
}

// The parameter with this name: given, of the PTX, or "arg2".
std::size_t parameterNamed(std::string_view name, const std::vector<Given>& given) {
  for (std::size_t k = 0; k < given.size(); ++k)
    if (given[k].name == name || name == fmt::format("arg{}", k)) return k;
  return given.size();
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
  std::map<std::string, Array, std::less<>> names;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const Element* const e = numbersOf(given[k]);
    const Argument& a = given[k].argument;
    if (e == nullptr || a.kind == Argument::Kind::Arbitrary || a.kind == Argument::Kind::Bytes) continue;
    Array value = numbers(*e, bytesBefore(given, k), isArray(a) ? a.shape : std::vector<i64>{});
    names[fmt::format("arg{}", k)] = value;
    names[given[k].name] = std::move(value);
  }
  TESSERA_TRY(const std::vector<Assigned> assigned, evaluate(text, names));
  std::vector<Compared> out;
  for (const Assigned& one : assigned) {
    const std::size_t at = parameterNamed(one.name, given);
    if (at == given.size()) continue;  // a local name
    const Element* const e = numbersOf(given[at]);
    if (!isArray(given[at].argument) || e == nullptr || at >= report.buffers.size())
      return Diag{fmt::format("the argument of {} is not a buffer of numbers", one.name),
                  fmt::format("--arg f32[1024]=0 or --arg @FILE.npy for parameter {}", at)};
    const Array got = numbers(*e, report.buffers[at], given[at].argument.shape);
    auto want = broadcast(one.value, got.shape);
    if (!want && one.value.count() == got.count()) want = reshaped(one.value, got.shape);
    if (!want)
      return Diag{fmt::format("the reference of {} has the shape {}, and the buffer {}", one.name,
                              shapeText(one.value.shape), shapeText(got.shape))};
    out.push_back(compare(one.name, *e, got, *want, tolerance, report));
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
