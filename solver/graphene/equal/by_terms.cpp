#include "solver/graphene/equal/by_terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/work_budget.h"
#include "solver/emulate/equality/same_value.h"
#include "solver/graphene/equal/by_numbers.h"
#include "solver/kernel/reference/symbols.h"

namespace tessera::graphene {
namespace {

using kernel::reference::Symbols;

constexpr int kPrivateInput = 1 << 16;  // terms of elements that belong to one side; kernel::ValueTerms has 1 << 20
constexpr i64 kMostOpenElements = 16;
constexpr std::size_t kMostSpecials = 8;
constexpr double kFarAway = 1e5, kSpecialValue = 3;

class TermsOfSides {
 public:
  TermsOfSides(const Sides& sides, EqualVerdict& verdict) : sides_(sides), verdict_(verdict) {}

  void run() {
    verdict_.reason.clear();
    verdict_.method = "terms";
    Terms terms;
    kernel::ValueTerms values(terms);
    const Symbols symbols(values);
    std::map<std::string, int, std::less<>> numbers;  // of inputs, by name
    for (const auto* side : {&sides_.first, &sides_.second})
      if (*side)
        for (const Port& p : (*side)->ports())
          if (const auto [known, fresh] = numbers.try_emplace(p.name, static_cast<int>(numbers.size())); fresh)
            terms.describe(known->second, p.type);
    const auto inputOf = [&](const Port& p, i64 e) {
      const i64 shared = p.alias.empty() ? e : p.alias[static_cast<std::size_t>(e)];
      return terms.input(numbers.find(p.name)->second, 0, shared);
    };
    const auto owned = [&](int side, const Port& p, i64 e) {
      return terms.input(kPrivateInput + 2 * numbers.find(p.name)->second + side, 0, e);
    };
    const std::set<std::string, std::less<>> common(sides_.ports.outputs.begin(), sides_.ports.outputs.end());
    // A common output that is not written keeps its value.
    const auto initial = [&](int side, const Port& p, i64 e) {
      return p.input || (common.count(p.name) != 0 && !p.passed) ? inputOf(p, e) : owned(side, p, e);
    };
    const auto first =
        sides_.first->run<Terms>(terms, sides_.first->exact(), [&](const Port& p, i64 e) { return initial(0, p, e); });
    if (!ranWell(*sides_.first, first.finding, first.stopped)) return;
    Values<Terms::Value> second;
    const auto element = [&](const Port& p, i64 e) { return Symbols::element(initial(0, p, e)); };
    if (sides_.second) {
      Arrays stated;
      if (!sides_.where.empty()) {
        auto evaluated = sides_.evaluated(sides_.where, element);
        if (!evaluated) return open(evaluated.error().message);
        stated = *std::move(evaluated);
      }
      auto run = sides_.second->run<Terms>(terms, sides_.second->exact(), [&](const Port& p, i64 e) {
        const auto found = p.input ? stated.find(p.name) : stated.end();
        return found == stated.end() ? initial(1, p, e)
                                     : Symbols::current()->term(found->second.data[static_cast<std::size_t>(e)]);
      });
      if (!ranWell(*sides_.second, run.finding, run.stopped)) return;
      second = std::move(run.values);
    } else {
      const auto evaluated = sides_.evaluated(sides_.reference, element);
      if (!evaluated) return open(evaluated.error().message);
      for (const std::string& name : sides_.ports.outputs)
        for (const double x : evaluated->find(name)->second.data) second[name].push_back(Symbols::current()->term(x));
    }
    compare(terms, numbers, first.values, second);
  }

 private:
  struct Pair {
    std::string output;
    i64 element = 0;
    Terms::Value first = 0, second = 0;
  };

  void open(const std::string& reason) {
    verdict_.standing = Standing::Unknown;
    verdict_.reason = reason;
  }
  bool ranWell(const Side& side, const std::string& finding, const std::string& stopped) {
    if (!finding.empty()) open(fmt::format("{} does not determine its outputs: {}", side.name(), finding));
    if (!stopped.empty()) open(fmt::format("{} was not run to its end: {}", side.name(), stopped));
    return finding.empty() && stopped.empty();
  }

  void compare(Terms& terms, const std::map<std::string, int, std::less<>>& numbers, const Values<Terms::Value>& first,
               const Values<Terms::Value>& second) {
    // Elements that share much are near each other. The algebra of all of them would take 100 bytes a monomial.
    std::optional<SameValue> same;
    std::vector<std::string> laws;
    bool gone = false;
    const auto take = [&] {
      if (same) addLaws(same->laws(), laws);
      gone = gone || (same && same->algebraGone());
    };
    i64 compared = 0;
    std::vector<Pair> open;
    for (const std::string& name : sides_.ports.outputs) {
      const std::vector<Terms::Value>&a = first.find(name)->second, &b = second.find(name)->second;
      for (std::size_t e = 0; e < a.size() && std::ssize(open) < kMostOpenElements; ++e) {
        spend(8);
        if (compared++ % kElementsPerAlgebra == 0) {
          take();
          same.emplace(terms);
        }
        // Values that nothing wrote are equal only if they are the same initial value.
        if (a[e] != Terms::undefined() && b[e] != Terms::undefined() && same->equal(a[e], b[e])) continue;
        open.push_back({name, static_cast<i64>(e), a[e], b[e]});
      }
    }
    take();
    if (open.empty()) {
      verdict_.standing = Standing::Proved;
      verdict_.reason =
          fmt::format("{} elements of {} are equal over the real numbers ({}; rounding ignored){}", compared,
                      listOf(sides_.ports.outputs), fmt::join(laws, ", "), atSizes(sides_.sizes));
      return;
    }
    int replays = 0;
    bool differs = false;
    for (const Pair& pair : open) {
      for (const TermNumbers::Options& how : trials(terms, pair)) {
        TermNumbers evaluated(how);
        const double x = evaluated.of(terms, pair.first), y = evaluated.of(terms, pair.second);
        if (!apart(x, y, evaluated.most())) continue;
        differs = true;
        if (replays++ >= kMostReplays) break;
        if (replayed(terms, numbers, how)) return;
      }
      if (replays >= kMostReplays) break;
    }
    const Pair& pair = open.front();
    verdict_.reason = fmt::format(
        "no known law makes {} of both equal ({}){}{}", sides_.first->port(pair.output)->elementText(pair.element),
        fmt::join(laws, ", "), gone ? "; the algebra grew too large" : "",
        differs ? "; the terms differ on random inputs, but runs with these do not show it" : "");
  }
  static constexpr int kMostReplays = 4;
  static constexpr i64 kElementsPerAlgebra = 1024;
  // Adds those of "sums and products in any order, relu(x) = max(x, 0)" that are new.
  static void addLaws(std::string_view text, std::vector<std::string>& laws) {
    int depth = 0;
    std::size_t from = 0;
    for (std::size_t k = 0; k <= text.size(); ++k) {
      if (k < text.size() && text[k] == '(') ++depth;
      if (k < text.size() && text[k] == ')') --depth;
      if (k < text.size() && (text[k] != ',' || depth > 0)) continue;
      std::string law(text.substr(std::min(from, text.size()), k - std::min(from, k)));
      if (std::ranges::find(laws, law) == laws.end()) laws.push_back(std::move(law));
      from = k + 2;
    }
  }

  // Both differ by more than rounding, measured by the largest intermediate value.
  static bool apart(double a, double b, double most) {
    if (std::isnan(a) && std::isnan(b)) return false;
    if (!std::isfinite(a) || !std::isfinite(b)) return a != b && !(std::isnan(a) || std::isnan(b));
    return std::fabs(a - b) > 1e-9 * (1 + std::min(most, std::fabs(a) + std::fabs(b) + most));
  }

  // Inputs that may tell two terms apart: as solver/emulate/equality/same_value.h has them.
  static std::vector<TermNumbers::Options> trials(Terms& terms, const Pair& pair) {
    std::vector<TermNumbers::Options> out;
    for (int seed = 1; seed <= SameValue::kSeeds; ++seed) out.push_back({.seed = static_cast<u64>(seed)});
    std::set<Terms::Value> seen[2], inputs[2];
    const Terms::Value roots[2] = {pair.first, pair.second};
    for (int k = 0; k < 2; ++k)
      operandsFirst(
          terms, roots[k], [&](Terms::Value x) { return seen[k].count(x) != 0; },
          [&](Terms::Value x, const Terms::Sum&) {
            spend(1);
            seen[k].insert(x);
            if (terms.node(x).kind == Terms::Kind::Input) inputs[k].insert(x);
          });
    std::vector<Terms::Value> one;
    std::set_symmetric_difference(inputs[0].begin(), inputs[0].end(), inputs[1].begin(), inputs[1].end(),
                                  std::back_inserter(one));
    for (std::size_t k = 0; k < std::min(one.size(), kMostSpecials); ++k)
      for (const double value : {kSpecialValue, -kSpecialValue})
        out.push_back({.seed = 1, .special = one[k], .value = value});
    for (const double middle : {-kFarAway, kFarAway}) out.push_back({.seed = 1, .middle = middle});
    return out;
  }

  // Runs both sides without rounding on the inputs of these terms; refutes if they differ.
  bool replayed(Terms& terms, const std::map<std::string, int, std::less<>>& numbers, const TermNumbers::Options& how) {
    TermNumbers inputs(how);
    std::string text = fmt::format("random inputs between -1 and 1, seed {}", how.seed);
    if (how.middle != 0) text = fmt::format("random inputs around {}, seed {}", how.middle, how.seed);
    if (how.special != Terms::absent()) text += fmt::format(", one of them {}", how.value);
    const auto draw = [&](const std::string& name, i64 e, const NumberFormat&) {
      return inputs.of(terms, terms.input(numbers.find(name)->second, 0, e));
    };
    return differOn(sides_, draw, text + ", without rounding", verdict_);
  }

  const Sides& sides_;
  EqualVerdict& verdict_;
};

}  // namespace

void byTerms(const Sides& sides, EqualVerdict& verdict) { TermsOfSides(sides, verdict).run(); }

}  // namespace tessera::graphene
