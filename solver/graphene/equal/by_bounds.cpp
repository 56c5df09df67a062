#include "solver/graphene/equal/by_bounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/page.h"
#include "solver/emulate/error/enclosures.h"
#include "solver/kernel/reference/symbols.h"

namespace tessera::graphene {
namespace {

using kernel::reference::Symbols;

// The bounds are sums and products of positive doubles: their own rounding is below this part of them.
constexpr double kOwnRounding = 1e-9;

class BoundsOfSides {
 public:
  explicit BoundsOfSides(const Sides& sides) : sides_(sides) {}

  OutputBounds run() {
    for (const auto* side : {&sides_.first, &sides_.second})
      if (*side && !addSide(**side, side == &sides_.second)) return {HUGE_VAL, reason_, ""};
    double most = 0;
    i64 elements = 0;
    for (const std::string& name : sides_.ports.outputs) {
      elements += static_cast<i64>(sums_[name].size());
      for (const double x : sums_[name]) most = std::fmax(most, x);
    }
    most *= 1 + kOwnRounding;
    const std::string first = sides_.first->name(), second = sides_.secondName();
    return {most, "",
            fmt::format("|{} - {}| <= {:.2e} for {} elements of {}{} ({}{}{})", first == second ? "first" : first,
                        first == second ? "second" : second, roundedUp(most), elements, listOf(sides_.ports.outputs),
                        atSizes(sides_.sizes), inputsText(sides_), assumptions_.empty() ? "" : "; ",
                        fmt::join(assumptions_, "; "))};
  }

 private:
  // The text has three digits and must not be below the bound.
  static double roundedUp(double x) { return x == 0 ? 0 : x * 1.005; }

  bool open(std::string why) {
    reason_ = std::move(why);
    return false;
  }

  bool addSide(const Side& side, bool second) {
    Enclosures domain(constantMeant);
    std::map<std::string, int, std::less<> > numbers;
    for (const Side* one : {&*sides_.first, &side})
      for (const Port& p : one->ports()) numbers.try_emplace(p.name, static_cast<int>(numbers.size()));
    const auto inputOf = [&](const Port& p, i64 e) -> Enclosures::Value {
      if (!p.input) return Enclosures::undefined();
      const i64 shared = p.alias.empty() ? e : p.alias[static_cast<std::size_t>(e)];
      return domain.input(p.type, inputInterval(sides_, p.name, p.type), numbers.find(p.name)->second, shared);
    };
    Values<Enclosures::Value> stated;
    if (second && !sides_.where.empty() && !state(domain, numbers, stated)) return false;
    const auto run = side.run<Enclosures>(domain, side.plan(), [&](const Port& p, i64 e) {
      const auto found = p.input ? stated.find(p.name) : stated.end();
      return found == stated.end() ? inputOf(p, e) : found->second[static_cast<std::size_t>(e)];
    });
    if (!run.finding.empty())
      return open(fmt::format("{} does not determine its outputs: {}", side.name(), run.finding));
    if (!run.stopped.empty()) return open(fmt::format("{} was not run to its end: {}", side.name(), run.stopped));
    for (const std::string& name : sides_.ports.outputs) {
      const std::vector<Enclosures::Value>& values = run.values.find(name)->second;
      std::vector<double>& sums = sums_[name];
      sums.resize(values.size());
      for (std::size_t e = 0; e < values.size(); ++e) {
        const double bound = values[e].exact == Terms::undefined() ? HUGE_VAL : domain.bound(values[e]);
        if (!(bound < HUGE_VAL))
          return open(fmt::format("the error of {} in {} has no known bound: {}",
                                  side.port(name)->elementText(static_cast<i64>(e)), side.name(),
                                  domain.reason().empty() ? "nothing defines it" : domain.reason()));
        sums[e] += bound;
      }
    }
    for (const std::string& text : domain.assumptions())
      if (std::ranges::find(assumptions_, text) == assumptions_.end()) assumptions_.push_back(text);
    return true;
  }

  // The inputs of the second side that `where` states: elements of those of the first, and numbers.
  bool state(Enclosures& domain, const std::map<std::string, int, std::less<> >& numbers,
             Values<Enclosures::Value>& to) {
    kernel::ValueTerms values(domain.terms());
    const Symbols symbols(values);
    std::map<Terms::Value, Enclosures::Value> known;
    const auto evaluated = sides_.evaluated(sides_.where, [&](const Port& p, i64 e) {
      if (!p.input) return 0.0;
      const i64 shared = p.alias.empty() ? e : p.alias[static_cast<std::size_t>(e)];
      const Enclosures::Value v =
          domain.input(p.type, inputInterval(sides_, p.name, p.type), numbers.find(p.name)->second, shared);
      known[v.exact] = v;
      return Symbols::element(v.exact);
    });
    if (!evaluated) return open(evaluated.error().message);
    for (const Port& p : sides_.second->ports()) {
      const auto found = evaluated->find(p.name);
      if (!p.input || found == evaluated->end()) continue;
      for (const double x : found->second.data) {
        const auto at = Symbols::is(x) ? known.find(Symbols::current()->term(x)) : known.end();
        if (at == known.end() && (Symbols::is(x) || rounded(x, p.type) != x))
          return open(fmt::format("`where` computes %{}: bounds need inputs that are elements of others", p.name));
        to[p.name].push_back(at == known.end() ? domain.constant(x) : at->second);
      }
    }
    return true;
  }

  const Sides& sides_;
  Values<double> sums_;  // by output, of the bounds of both sides
  std::string reason_;
  std::vector<std::string> assumptions_;
};

}  // namespace

OutputBounds boundsOf(const Sides& sides) {
  if (kIsPage)  // a third machine, for enclosures, would add 2 % to the page
    return {HUGE_VAL, "the page has no machine that bounds rounding errors, the desktop program has", ""};
  return BoundsOfSides(sides).run();
}

Interval inputInterval(const Sides& sides, std::string_view name, const NumberFormat& type) {
  const InputRange* range = rangeOf(sides.ranges, name);
  if (type.precision > 0) return range == nullptr ? Interval{-1, 1} : Interval{range->least, range->most};
  const Interval all = range == nullptr ? Interval{-8, 7} : Interval{std::ceil(range->least), std::floor(range->most)};
  return met(all, {leastOf(type), mostOf(type)});
}

std::string inputsText(const Sides& sides) {
  if (sides.ranges.empty()) return "inputs in [-1, 1]";
  const bool all = rangeOf(sides.ranges, "") != nullptr;
  return fmt::format("inputs with {}{}", print(sides.ranges), all ? "" : ", others in [-1, 1]");
}

}  // namespace tessera::graphene
