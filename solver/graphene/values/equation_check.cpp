#include "solver/graphene/values/equation_check.h"

#include <fmt/format.h>

#include <cfloat>

namespace tessera::graphene {
namespace {

constexpr double kLargeInput = 100, kModest = 1e6, kNear = 1e-2;

}  // namespace

// The places of every operand, indexed as in the equations.
struct EquationCheck::Activation {
  SpecRun& run;
  i64 block;
  const std::vector<i64>&team, &loops;
  struct Port {
    int root = 0;
    std::vector<PlaceOf> place = {};  // by row-major element
    std::vector<std::pair<i64, PlaceOf>> replicas = {};
    std::vector<Terms::Value> known = {};
  };
  std::vector<Port> ports{};

  Result<void> fill(const MeaningPort& from) {
    const auto operand = static_cast<std::size_t>(from.operand);
    std::vector<i64> threads = team.empty() ? std::vector<i64>{0} : team;
    if (!from.shape.held && !from.shape.byThread) threads.resize(1);
    Port& out = ports.emplace_back();
    for (std::size_t t = 0; t < (from.shape.held ? 1 : threads.size()); ++t) {
      TESSERA_TRY(const Elements e, from.shape.held
                                        ? elementsOf(run.plan_, run.machine_, run.spec_, operand, block, threads, loops)
                                        : placesByShape(run.machine_, run.spec_, operand, block, threads[t], loops));
      out.root = e.root;
      for (std::size_t k = 0; k < e.place.size(); ++k)
        out.place.push_back(e.place[e.rowMajor.empty() ? k : static_cast<std::size_t>(e.rowMajor[k])]);
      out.replicas = e.replicas;
    }
    if (static_cast<i64>(out.place.size()) != from.count())
      return Diag{fmt::format("{} has {} elements, but its equations index {}", run.spec_.operands[operand].name,
                              out.place.size(), from.count())};
    out.known.assign(out.place.size(), Terms::absent());
    return {};
  }
  Terms::Value read(int port, i64 element) {
    Port& from = ports[port];
    Terms::Value& value = from.known[element];
    const PlaceOf& place = from.place[element];
    if (value == Terms::absent()) value = place.address < 0 ? Terms::undefined() : run.initial(from.root, block, place);
    return value;
  }
  // Values of loops and indices by name; nullopt if they differ between the threads.
  [[nodiscard]] std::optional<i64> param(int index) const {
    const Spec& spec = *run.spec_.spec;
    const Names names = spec.outputs.empty() ? Names() : spec.outputs.front().symbols;
    if (index < 0 || index >= static_cast<int>(names.size())) return std::nullopt;
    const std::string& name = names[index];
    for (auto v = run.spec_.variables.rbegin(); v != run.spec_.variables.rend(); ++v) {
      if (v->first != name) continue;
      const i64 first = team.empty() ? 0 : team.front(), last = team.empty() ? 0 : team.back();
      const i64 value = run.machine_.evaluate(v->second, block, first, loops);
      if (value != run.machine_.evaluate(v->second, block, last, loops)) return std::nullopt;
      return value;
    }
    return std::nullopt;
  }
};

void EquationCheck::outcome(i64 block, const std::vector<i64>& team, const std::vector<i64>& loops) {
  if (!fault_.empty()) return;
  Activation a{run_, block, team, loops};
  MeaningValue<Terms> values(
      *run_.spec_.spec, run_.terms_, [&](int index) { return a.param(index); },
      [&](int port, i64 element) { return a.read(port, element); }, INT64_MAX,
      run_.machine_.guards() == nullptr ? nullptr : run_.plan_.open[run_.number_], run_.machine_.guards());
  for (const MeaningPort& port : values.ports())
    if (values.fault().empty())
      if (const auto filled = a.fill(port); !filled) fault_ = filled.error().message;
  if (!values.fault().empty()) fault_ = values.fault();
  const bool first = compared_ == 0;
  for (int k = 0; k < run_.spec_.outputs && fault_.empty(); ++k) {
    const Activation::Port& out = a.ports[values.outputPort(k)];
    const auto wrote = [&](const PlaceOf& p) { return run_.written(out.root, block, p); };
    // Sample from the elements that this block wrote, which may be a small part of the output.
    const auto written = static_cast<std::size_t>(std::ranges::count_if(out.place, wrote));
    const std::size_t stride = written / kMostSamples + 1;
    std::size_t seen = 0;
    for (std::size_t e = 0; e < out.place.size() && fault_.empty(); ++e) {
      if (!wrote(out.place[e])) continue;
      const Terms::Value expected = values.value(k, static_cast<i64>(e));
      if (values.fault().empty()) compareAt(a, out.root, out.place[e], expected, first && seen++ % stride == 0);
      fault_ = values.fault();
    }
    for (const auto& [e, place] : out.replicas)
      if (fault_.empty() && wrote(place)) compareAt(a, out.root, place, values.value(k, e), false);
  }
}

void EquationCheck::compareAt(const Activation& a, int root, const PlaceOf& place, Terms::Value expected, bool sample) {
  spend(8);
  ++compared_;
  const auto actual = run_.machine_.value(root, a.block, place.thread, place.address);
  const Pair pair{root, a.block, place, expected, actual.value_or(Terms::undefined())};
  if (sample && samples_.size() < kMostSamples) samples_.push_back(pair);
  if (actual && run_.isEqual(expected, *actual)) return;
  ++open_;
  if (pairs_.size() < kMostPairs) pairs_.push_back(pair);
}

// Two numbers are easier to read than two terms over a thousand inputs.
void EquationCheck::refute(const Pair& pair, double wanted, double got, const std::string& how) const {
  const auto text = [](double v) {
    return std::isnan(v) ? "no number" : std::isinf(v) ? "infinity" : fmt::format("{:.6g}", v);
  };
  Finding f = run_.finding(pair.root, pair.block, pair.place, pair.expected);
  f.expected = text(wanted);
  f.actual = pair.actual == Terms::undefined() ? "nothing" : text(got);
  f.message = fmt::format("{} is {}, but the equations give {} ({})", run_.placeText(pair.root, pair.place), f.actual,
                          f.expected, how);
  run_.known_.refute(std::move(f));
}

// Step 3. Includes elements that were never written.
bool EquationCheck::refutedByNumbers() {
  for (int seed = 1; seed <= SameValue::kSeeds; ++seed)
    for (const Pair& pair : pairs_) {
      const auto d = run_.same().differ(pair.expected, pair.actual, seed);
      if (!d) continue;
      refute(pair, d->wanted, d->got, d->inputs);
      return true;
    }
  for (std::size_t k = 0; k < std::min(pairs_.size(), kMostSamples); ++k)
    if (const auto d = run_.same().differFarOut(pairs_[k].expected, pairs_[k].actual)) {
      refute(pairs_[k], d->wanted, d->got, d->inputs);
      return true;
    }
  return false;
}

bool EquationCheck::refutedByRange() {
  const auto isSingle = [](const Root& r) { return r.type.precision > 0 && r.type.precision <= 24; };
  if (!std::ranges::all_of(run_.plan_.roots, isSingle)) return false;
  TermNumbers exact({.seed = 1, .scale = kLargeInput}), device({.seed = 1, .scale = kLargeInput, .single = true});
  for (const Pair& pair : samples_) {
    if (pair.expected == pair.actual) continue;
    const double wanted = exact.of(run_.terms_, pair.expected), got = device.of(run_.terms_, pair.actual);
    // A finite value can be wrong too: exp(x) divided by an infinite sum is 0.
    const bool near = std::isfinite(got) && (std::isfinite(device.most()) || std::fabs(wanted) < FLT_MIN ||
                                             std::fabs(wanted - got) <= kNear * std::fabs(wanted));
    if (exact.most() > kModest || near) continue;
    refute(pair, wanted, got,
           fmt::format("right over the real numbers, but intermediate values overflow fp32 with inputs of up to {}, "
                       "where the equations stay below {}",
                       kLargeInput, kModest));
    return true;
  }
  return false;
}

void EquationCheck::conclude() {
  if (!fault_.empty()) {
    run_.known_.open[Obligation::Value] = fault_;
    return;
  }
  if (refutedByNumbers() || refutedByRange()) return;
  const std::string laws = run_.same().laws();
  if (open_ > 0) {
    run_.known_.open.try_emplace(
        Obligation::Value,
        fmt::format("{} of {} elements agree with the equations on {} random inputs, but {}", open_, compared_,
                    SameValue::kSeeds,
                    run_.same().algebraGone() ? "comparing them as terms takes too long"
                                              : fmt::format("no known law makes them equal ({})", laws)));
    return;
  }
  run_.known_.proved.try_emplace(
      Obligation::Value,
      fmt::format("{} elements match the equations over the real numbers ({}; rounding ignored)", compared_, laws));
}

}  // namespace tessera::graphene
