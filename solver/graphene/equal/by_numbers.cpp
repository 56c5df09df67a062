#include "solver/graphene/equal/by_numbers.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/work_budget.h"
#include "solver/graphene/equal/by_bounds.h"
#include "solver/measure/reference/compare.h"
#include "solver/measure/runner.h"

namespace tessera::graphene {
namespace {

constexpr Work kNumbersWork = 4'000'000;  // about a second
constexpr int kRandomSeeds = 2;
constexpr double kExactError = 1e-9;  // a difference of doubles beyond this is none of rounding, relative to the output
constexpr double kLargeScale = 100;

std::string numberText(double v) {
  return std::isnan(v)   ? "no number"
         : std::isinf(v) ? (v < 0 ? "-infinity" : "infinity")
                         : fmt::format("{:.6g}", v == 0 ? 0.0 : v);
}

// An output element by element, in both.
struct Differing {
  std::string output;
  i64 element = -1;
  double first = 0, second = 0;
};

// The values of all common outputs of both sides on these inputs.
struct Both {
  Values<double> first, second;
  std::string finding, stopped;
};
NumberFormat narrowest(const Sides& sides, const std::string& name, const NumberFormat& type) {
  NumberFormat out = type;
  for (const auto* side : {&sides.first, &sides.second})
    if (*side)
      if (const Port* p = (*side)->port(name); p != nullptr && p->type.precision > 0 && p->type.bits < out.bits)
        out = p->type;
  return out;
}
Arrays statedInputs(const Sides& sides, const ElementNumber& draw) {
  if (sides.where.empty()) return {};
  auto values = sides.evaluated(sides.where, [&](const Port& p, i64 e) {
    return p.input ? draw(p.name, p.alias.empty() ? e : p.alias[static_cast<std::size_t>(e)], p.type) : 0;
  });
  return values ? *std::move(values) : Arrays{};
}

Both runBoth(const Sides& sides, bool exact, const ElementNumber& draw) {
  Both out;
  const auto of = [&](const Side& side, const ElementNumber& element) {
    Numbers numbers;
    return side.run<Numbers>(numbers, exact ? side.exact() : side.plan(), [&](const Port& p, i64 e) -> double {
      if (!p.input) return Numbers::undefined();
      const i64 shared = p.alias.empty() ? e : p.alias[static_cast<std::size_t>(e)];
      const double value = element(p.name, shared, p.type);
      return exact && p.type.precision > 0 ? value : rounded(value, p.type);
    });
  };
  const auto take = [&](const Side& side, SideRun<double> run, Values<double>& to) {
    to = std::move(run.values);
    if (out.finding.empty() && !run.finding.empty()) out.finding = side.name() + ": " + run.finding;
    if (out.stopped.empty()) out.stopped = run.stopped;
  };
  // Both sides get the numbers of the narrower type.
  const ElementNumber common = [&](const std::string& name, i64 e, const NumberFormat& type) {
    const NumberFormat narrow = narrowest(sides, name, type);
    return rounded(draw(name, e, narrow), narrow);
  };
  take(*sides.first, of(*sides.first, common), out.first);
  if (sides.second) {
    const Arrays stated = statedInputs(sides, common);
    take(*sides.second,
         of(*sides.second,
            [&](const std::string& name, i64 e, const NumberFormat& type) {
              const auto found = stated.find(name);
              return found == stated.end() ? common(name, e, type) : found->second.data[static_cast<std::size_t>(e)];
            }),
         out.second);
  } else if (const auto values = sides.evaluated(
                 sides.reference, [&](const Port& p, i64 e) { return p.input ? common(p.name, e, p.type) : 0; })) {
    for (const auto& [name, a] : *values) out.second[name] = a.data;
  } else {
    out.stopped = values.error().message;
  }
  return out;
}
struct Distance {
  std::optional<Differing> differing;  // beyond the tolerance
  double relative = 0;                 // the largest of an output
};
// Compares the outputs. `tolerance` of an output: relative to it as a whole, and of an element.
Distance distance(const Sides& sides, const Both& both,
                  const std::function<measure::Tolerance(const std::string&)>& toleranceOf) {
  Distance out;
  for (const std::string& name : sides.ports.outputs) {
    const std::vector<double>& a = both.first.find(name)->second;
    const auto other = both.second.find(name);
    if (other == both.second.end() || other->second.size() != a.size()) continue;
    const std::vector<double>& b = other->second;
    spend(static_cast<i64>(a.size()) / 4 + 1);
    double squares = 0, apart = 0;
    for (std::size_t e = 0; e < a.size(); ++e) {
      if (!std::isfinite(a[e]) || !std::isfinite(b[e])) continue;
      squares += std::max(a[e] * a[e], b[e] * b[e]);
      apart += (a[e] - b[e]) * (a[e] - b[e]);
    }
    const double typical = a.empty() ? 0 : std::sqrt(squares / static_cast<double>(a.size()));
    const double relative = squares > 0 ? std::sqrt(apart / squares) : 0;
    const measure::Tolerance tolerance = toleranceOf(name);
    out.relative = std::max(out.relative, relative);
    double worst = 0;
    i64 where = -1;
    for (std::size_t e = 0; e < a.size(); ++e) {
      const bool same = a[e] == b[e] || (std::isnan(a[e]) && std::isnan(b[e]));
      if (same) continue;
      const double d = std::isfinite(a[e]) && std::isfinite(b[e])
                           ? std::fabs(a[e] - b[e]) / (std::max(std::fabs(a[e]), std::fabs(b[e])) + typical)
                           : HUGE_VAL;
      if (d > worst) {
        worst = d;
        where = static_cast<i64>(e);
      }
    }
    if (where >= 0 && !out.differing && (worst > tolerance.element || relative > tolerance.relative))
      out.differing = Differing{name, where, a[static_cast<std::size_t>(where)], b[static_cast<std::size_t>(where)]};
  }
  return out;
}

void refute(const Sides& sides, const Differing& d, const std::string& inputs, int seed, EqualVerdict& verdict) {
  const Port& port = *sides.first->port(d.output);
  verdict.standing = Standing::Refuted;
  verdict.method = "numbers";
  verdict.output = d.output;
  verdict.coordinate = port.coordinateOf(d.element);
  verdict.first = d.first;
  verdict.second = d.second;
  verdict.seed = seed;
  const std::string first = sides.first->name(), second = sides.secondName();
  verdict.reason = fmt::format("{} is {} in {} and {} in {}{} ({})", port.elementText(d.element), numberText(d.first),
                               first == second ? "the first" : first, numberText(d.second),
                               first == second ? "the second" : second, atSizes(sides.sizes), inputs);
}

// What the roundings of both sides explain.
measure::Tolerance rounding(const Sides& sides, const std::string& name) {
  measure::Tolerance out{0, 0};
  for (const auto* side : {&sides.first, &sides.second}) {
    if (!*side) continue;
    const measure::Tolerance one =
        measure::toleranceOf((*side)->port(name)->type, measure::roundingOf((*side)->program()));
    out.relative += one.relative;
    out.element += one.element;
  }
  return out;
}

// Inputs up to 100: overflow in one of the two is no refutation, but worth saying.
void large(const Sides& sides, RandomRuns& out) {
  const auto draw = [&](const std::string& name, i64 e, const NumberFormat& type) {
    return (type.precision == 0 ? 1 : kLargeScale) * comparedInput(1, name, e, type);
  };
  const Both typed = runBoth(sides, false, draw);
  if (!typed.stopped.empty()) return;
  for (const std::string& name : sides.ports.outputs) {
    const std::vector<double>&a = typed.first.find(name)->second, &b = typed.second.find(name)->second;
    for (std::size_t e = 0; e < std::min(a.size(), b.size()); ++e) {
      if (std::isfinite(a[e]) == std::isfinite(b[e])) continue;
      if (std::fabs(std::isfinite(a[e]) ? a[e] : b[e]) > mostOf(sides.first->port(name)->type)) continue;
      out.note += fmt::format("; but with inputs of up to {}, {} is {} in {} and {} in {}", kLargeScale,
                              sides.first->port(name)->elementText(static_cast<i64>(e)), numberText(a[e]),
                              sides.first->name(), numberText(b[e]), sides.secondName());
      return;
    }
  }
}

void numbersWithin(const Sides& sides, bool inTypes, RandomRuns& out, EqualVerdict& verdict) {
  const auto exactly = [](const std::string&) { return measure::Tolerance{kExactError, 100 * kExactError}; };
  for (int seed = 1; seed <= kRandomSeeds; ++seed) {
    const auto draw = [&](const std::string& name, i64 e, const NumberFormat& type) {
      return comparedInput(seed, name, e, type);
    };
    const std::string inputs = fmt::format("random inputs between -1 and 1, seed {}", seed);
    const Both exact = runBoth(sides, true, draw);
    if (!exact.stopped.empty()) {
      out.finding = exact.stopped;
      return;
    }
    if (const Distance d = distance(sides, exact, exactly); d.differing)
      return refute(sides, *d.differing, inputs + ", without rounding", seed, verdict);
    out.finding = exact.finding;
    if (seed > 1 || !inTypes) break;
    const Both typed = runBoth(sides, false, draw);
    if (!typed.stopped.empty()) return;
    const Distance d = distance(sides, typed, [&](const std::string& name) { return rounding(sides, name); });
    if (d.differing)
      return refute(sides, *d.differing, inputs + ", in their types: more than rounding explains", seed, verdict);
    verdict.error = d.relative;
    out.note = d.relative == 0
                   ? fmt::format("equal in their types, too ({})", inputs)
                   : fmt::format("in their types the relative difference is {:.1e} ({})", d.relative, inputs);
    if (exact.finding.empty()) large(sides, out);
  }
}

// Where in its range an input is, -1 to 1, from a random number between -1 and 1.
struct InputPattern {
  std::string_view what;
  double (*place)(double random);
  int seeds;
};
constexpr InputPattern kPatterns[] = {
    {"random inputs", [](double x) { return x; }, 2},
    {"random ends of the ranges", [](double x) { return x < 0 ? -1.0 : 1.0; }, 2},
    {"random inputs near the upper ends of the ranges", [](double x) { return 1 - std::fabs(x) / 8; }, 1},
    {"the upper ends of the ranges", [](double) { return 1.0; }, 1},
};

// A number of the type in the range, near the given place.
double inputAt(const Interval& range, double place, const NumberFormat& type) {
  const double middle = range.lo / 2 + range.hi / 2, half = range.hi / 2 - range.lo / 2;
  if (type.precision == 0) return std::fmin(std::fmax(std::round(middle + half * place), range.lo), range.hi);
  const double step = std::ldexp(1.0, 1 - type.precision);
  for (int k = 0; k < 4; ++k) {
    const double x = rounded((middle + half * place) * (1 - (k & 1) * step) * (1 + (k >> 1) * step), type);
    if (x >= range.lo && x <= range.hi) return x;
  }
  return range.lo <= 0 && range.hi >= 0 ? 0 : range.lo;
}

// The largest difference; infinity if only one of two is a number.
Differing furthest(const Sides& sides, const Both& both) {
  Differing out;
  double most = -1;
  for (const std::string& name : sides.ports.outputs) {
    const std::vector<double>& a = both.first.find(name)->second;
    const auto other = both.second.find(name);
    if (other == both.second.end()) continue;
    const std::vector<double>& b = other->second;
    spend(static_cast<i64>(a.size()) / 4 + 1);
    for (std::size_t e = 0; e < std::min(a.size(), b.size()); ++e) {
      if (!std::isfinite(a[e]) && !std::isfinite(b[e])) continue;  // overflow in both: no difference to measure
      const double d = std::isfinite(a[e]) && std::isfinite(b[e]) ? std::fabs(a[e] - b[e]) : HUGE_VAL;
      if (d > most) most = d, out = {name, static_cast<i64>(e), a[e], b[e]};
    }
  }
  return out;
}

}  // namespace

double apartInTypes(const Sides& sides, double within, EqualVerdict& verdict) {
  double most = -1;
  try {
    const WorkBudget limit({.steps = kNumbersWork});
    for (const InputPattern& pattern : kPatterns)
      for (int seed = 1; seed <= pattern.seeds; ++seed) {
        const auto draw = [&](const std::string& name, i64 e, const NumberFormat& type) {
          const double random = comparedInput(seed, name, e, {64, 53, -1022, 1023});
          return inputAt(inputInterval(sides, name, type), pattern.place(random), type);
        };
        const Both both = runBoth(sides, false, draw);
        if (!both.stopped.empty() || !both.finding.empty()) return most;
        const Differing d = furthest(sides, both);
        if (d.element < 0) continue;
        const double apart =
            std::isfinite(d.first) && std::isfinite(d.second) ? std::fabs(d.first - d.second) : HUGE_VAL;
        if (apart > within) {
          refute(sides, d,
                 fmt::format("{}, seed {}, {}; in their types they are {:.3g} apart", pattern.what, seed,
                             inputsText(sides), apart),
                 0, verdict);
          return apart;
        }
        most = std::fmax(most, apart);
      }
  } catch (const OutOfBudget& end) {
    if (!end.counted() || WorkBudget::left() == 0) throw;
  }
  return most;
}

RandomRuns onRandomInputs(const Sides& sides, bool inTypes, EqualVerdict& verdict) {
  RandomRuns out;
  try {
    const WorkBudget limit({.steps = kNumbersWork});
    numbersWithin(sides, inTypes, out, verdict);
    out.ended = true;
  } catch (const OutOfBudget& end) {
    if (!end.counted() || WorkBudget::left() == 0) throw;
  }
  return out;
}

bool differOn(const Sides& sides, const ElementNumber& draw, const std::string& inputs, EqualVerdict& verdict) {
  const Both both = runBoth(sides, true, draw);
  if (!both.stopped.empty()) return false;
  const Distance d = distance(sides, both, [](const std::string&) {
    return measure::Tolerance{kExactError, 100 * kExactError};
  });
  if (d.differing) refute(sides, *d.differing, inputs, 0, verdict);
  return d.differing.has_value();
}

double comparedInput(int seed, std::string_view name, i64 element, const NumberFormat& type) {
  u64 h = 1469598103934665603u;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return measure::drawn(static_cast<u64>(seed), static_cast<int>(h & 0xFFFF), element, type);
}

}  // namespace tessera::graphene
