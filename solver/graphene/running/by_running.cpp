#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <iterator>

#include "core/base/work_budget.h"
#include "solver/graphene/methods.h"
#include "solver/graphene/running/run_kernel.h"
#include "solver/graphene/running/run_state.h"
#include "solver/graphene/sizes/every_size.h"

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
    for (auto& [spec, obligations] : runKernel(plan, kernel, {.values = !wrongValues[node]}, options))
      if (const int inner = sites.numberOf(plan.specs[spec].spec); inner >= 0)
        take(static_cast<std::size_t>(inner), std::move(obligations));
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
  const auto isSize = [](const Variable& v) { return v.kind == Variable::Kind::Size; };
  const bool symbolic = std::ranges::any_of(sites.program->variables, isSize);
  // Z3 decides little of what induction leaves open.
  const double share = options.method == CheckMethod::Running ? 1.0 : symbolic ? 0.95 : 0.85;
  try {
    const WorkBudget limit({.cancel = options.cancel, .steps = budget.share(share)});
    if (symbolic) return forEverySize(sites, wanted, options, budget);
    const auto plan = makePlan(*sites.program, {{}, options.architecture});
    if (!plan) {
      allUnknown("it cannot be run: " + plan.error().message);
      return out;
    }
    runEach(*plan, sites, wanted, wrongValues, options,
            [&](std::size_t k, std::vector<ObligationVerdict> verdicts) { out[k] = std::move(verdicts); });
  } catch (const OutOfBudget& end) {
    allUnknown(end.cancelled() ? "cancelled" : end.what());
  }
  allUnknown("it was not run");
  return out;
}

}  // namespace tessera::graphene
