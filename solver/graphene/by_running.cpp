#include "solver/graphene/by_running.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/patience.h"
#include "solver/graphene/run_kernel.h"

namespace tessera::graphene {
namespace {

constexpr Obligation kAll[] = {Obligation::Bounds, Obligation::Coverage,    Obligation::Uniqueness,
                               Obligation::Races,  Obligation::Definedness, Obligation::Value};

std::vector<ObligationVerdict> unknownAll(const std::string& reason) {
  std::vector<ObligationVerdict> out;
  for (const Obligation o : kAll) out.push_back({o, Standing::Unknown, "running", reason, std::nullopt, 0});
  return out;
}

}  // namespace

std::vector<std::vector<ObligationVerdict>> byRunning(const Sites& sites, const std::vector<bool>& wanted,
                                                      const CheckOptions& options, const prover::Budget& budget) {
  std::vector<std::vector<ObligationVerdict>> out(sites.specs.size());
  const auto isWanted = [&](std::size_t k) {
    while (sites.specs[k].parent >= 0) k = static_cast<std::size_t>(sites.specs[k].parent);
    return static_cast<bool>(wanted[k]);
  };
  if (std::none_of(wanted.begin(), wanted.end(), [](bool b) { return b; })) return out;
  const auto allUnknown = [&](const std::string& reason) {
    for (std::size_t k = 0; k < out.size(); ++k)
      if (sites.specs[k].leaf < 0 && out[k].empty() && isWanted(k)) out[k] = unknownAll(reason);
  };
  auto plan = makePlan(*sites.program, {{}, options.architecture, {}});
  if (!plan) {
    allUnknown("it cannot be run: " + plan.error().message);
    return out;
  }
  const double share = options.method == CheckMethod::Running ? 1.0 : 0.7;
  try {
    const Patience patience({.seconds = budget.remainingSeconds() * share, .cancel = options.cancel});
    for (const int kernel : plan->kernels) {
      const Spec* outer = plan->specs[static_cast<std::size_t>(kernel)].spec;
      const auto node =
          std::find_if(sites.specs.begin(), sites.specs.end(), [&](const SpecNode& n) { return n.spec == outer; });
      if (node == sites.specs.end() || !wanted[static_cast<std::size_t>(node - sites.specs.begin())]) continue;
      auto verdicts = runKernel(*plan, kernel, options);
      for (auto& [spec, obligations] : verdicts)
        for (std::size_t k = 0; k < sites.specs.size(); ++k)
          if (sites.specs[k].spec == plan->specs[static_cast<std::size_t>(spec)].spec) out[k] = std::move(obligations);
    }
  } catch (const OutOfPatience& end) {
    if (end.cancelled()) {
      allUnknown("cancelled");
    } else {
      allUnknown(end.what());
    }
  }
  allUnknown("it was not run");
  return out;
}

}  // namespace tessera::graphene
