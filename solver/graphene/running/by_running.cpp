#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <iterator>

#include "core/base/work_budget.h"
#include "solver/graphene/methods.h"
#include "solver/graphene/running/run_kernel.h"
#include "solver/graphene/running/run_state.h"

namespace tessera::graphene {
namespace {

using Verdicts = std::vector<std::vector<ObligationVerdict>>;  // by sites.specs

// Runs the wanted kernels; passes each specification's verdicts to `take`.
void runEach(const Plan& plan, const Sites& sites, const std::vector<bool>& wanted,
             const std::vector<bool>& wrongValues, const CheckOptions& options,
             const std::function<void(std::size_t, std::vector<ObligationVerdict>)>& take) {
  for (const int kernel : plan.kernels) {
    const int node = sites.numberOf(plan.specs[kernel].spec);
    if (node < 0 || !wanted[node]) continue;
    const bool values = !wrongValues[node];
    for (auto& [spec, obligations] : runKernel(plan, kernel, values, options))
      if (const int inner = sites.numberOf(plan.specs[spec].spec); inner >= 0)
        take(static_cast<std::size_t>(inner), std::move(obligations));
  }
}

// ---- symbolic sizes: a claim for all of them is refuted by one

constexpr i64 kSamples[] = {1, 2, 3, 7, 40, 300};
constexpr double kSampleShare = 0.25;  // share of the work, for all samples
constexpr Work kMostSampleWork = workOf(5);
constexpr i64 kMostSamplePlaces = i64{1} << 17;

std::string wordsOf(const std::map<std::string, i64>& sizes) {
  std::vector<std::string> out;
  for (const auto& [size, value] : sizes) out.push_back(fmt::format("{} = {}", size, value));
  return fmt::format("{}", fmt::join(out, ", "));
}

// All sizes equal first, then all different.
std::vector<std::map<std::string, i64>> samplesOf(const Program& program) {
  std::vector<std::map<std::string, i64>> out;
  constexpr std::size_t count = std::size(kSamples);
  for (const std::size_t apart : {std::size_t{0}, std::size_t{1}})
    for (std::size_t first = 0; first < count; ++first) {
      std::map<std::string, i64> sizes;
      std::size_t next = first;
      for (const Variable& v : program.variables)
        if (v.kind == Variable::Kind::Size && sizes.try_emplace(v.name, kSamples[next % count]).second) next += apart;
      if (!sizes.empty() && (apart == 0 || sizes.size() > 1)) out.push_back(std::move(sizes));
    }
  return out;
}

bool isSmall(const Plan& plan) {
  i64 places = 0;
  for (const Root& r : plan.roots) {
    if (r.places > kMostSamplePlaces || r.copies > kMostSamplePlaces) return false;
    places += r.places * r.copies;
  }
  return places <= kMostSamplePlaces && plan.blocks * plan.threads <= kMostSamplePlaces;
}

void refuteForSizes(const Sites& sites, const std::vector<bool>& wanted, const CheckOptions& options,
                    const prover::Budget& budget, Verdicts& out) {
  try {
    const WorkBudget limit({.cancel = options.cancel, .steps = std::min(kMostSampleWork, budget.share(kSampleShare))});
    for (const auto& sizes : samplesOf(*sites.program)) {
      const auto plan = makePlan(*sites.program, {sizes, options.architecture});
      if (!plan || !isSmall(*plan)) continue;
      const std::vector<bool> none(sites.specs.size(), false);
      runEach(*plan, sites, wanted, none, options, [&](std::size_t k, const std::vector<ObligationVerdict>& verdicts) {
        for (const ObligationVerdict& v : verdicts)
          for (ObligationVerdict& have : out[k]) {
            const bool refuted = v.standing == Standing::Refuted && have.standing != Standing::Refuted;
            if (!refuted || have.obligation != v.obligation) continue;
            have = v;
            have.reason = fmt::format("{} (with {})", v.reason, wordsOf(sizes));
            if (have.finding) have.finding->message = have.reason;
          }
      });
    }
  } catch (const OutOfBudget& end) {
    if (!end.counted()) throw;
  }
}

}  // namespace

Verdicts byRunning(const Sites& sites, const std::vector<bool>& wanted, const std::vector<bool>& wrongValues,
                   const CheckOptions& options, const prover::Budget& budget) {
  Verdicts out(sites.specs.size());
  if (std::ranges::count(wanted, true) == 0) return out;
  const auto allUnknown = [&](const std::string& reason) {
    Known none;
    none.unknownAll(reason);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (sites.specs[k].leaf < 0 && out[k].empty() && wanted[sites.kernelOf(k)]) out[k] = none.verdicts();
  };
  auto plan = makePlan(*sites.program, {{}, options.architecture});
  if (!plan) {
    allUnknown("it cannot be run: " + plan.error().message);
    refuteForSizes(sites, wanted, options, budget, out);
    return out;
  }
  const double share = options.method == CheckMethod::Running ? 1.0 : 0.85;
  try {
    const WorkBudget limit({.cancel = options.cancel, .steps = budget.share(share)});
    runEach(*plan, sites, wanted, wrongValues, options,
            [&](std::size_t k, std::vector<ObligationVerdict> verdicts) { out[k] = std::move(verdicts); });
  } catch (const OutOfBudget& end) {
    allUnknown(end.cancelled() ? "cancelled" : end.what());
  }
  allUnknown("it was not run");
  return out;
}

}  // namespace tessera::graphene
