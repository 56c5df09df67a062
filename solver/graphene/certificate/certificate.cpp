#include "solver/graphene/certificate/certificate.h"

#include <algorithm>

#include "core/base/work_budget.h"
#include "solver/graphene/certificate/goals.h"

namespace tessera::graphene {
namespace {

std::string openReason(const ObligationVerdict& v) {
  if (v.obligation == Obligation::Static) return "the table of instructions and the text decide it";
  if (v.standing == Standing::NotStated) return "not stated: " + v.reason;
  return "unknown: " + v.reason;
}

}  // namespace

std::size_t Certificate::complete() const {
  std::size_t out = 0;
  for (const KernelCertificate& k : kernels)
    out += static_cast<std::size_t>(std::ranges::count(k.obligations, true, &ObligationCertificate::complete));
  return out;
}

Certificate certificateOf(const Program& program, const CheckResult& result, const CheckOptions& options) {
  Certificate out;
  const Sites sites = sitesOf(program, options.architecture);
  const prover::Budget budget(workOf(options.budgetSeconds), options.cancel);
  for (std::size_t k = 0; k < sites.specs.size() && k < result.specs.size(); ++k) {
    if (sites.specs[k].depth != 0 || sites.specs[k].leaf >= 0) continue;
    KernelCertificate kernel{sites.specs[k].span, result.specs[k].spec, {}};
    const Z3Kernel own(sites, static_cast<int>(k), budget);
    for (const ObligationVerdict& v : result.specs[k].obligations) {
      const bool has = v.standing == Standing::Proved && v.obligation != Obligation::Static;
      ObligationCertificate one;
      if (has) {
        try {
          const WorkBudget each({.seconds = options.budgetSeconds, .cancel = options.cancel});
          one = goalsOf(own, v.obligation);
        } catch (const OutOfBudget& end) {
          if (!end.counted()) throw;
          one.open = end.what();
        }
        if (!one.complete)
          one = {v.obligation, false, "proved by " + v.method + ", without a certificate: " + one.open, {}, {}};
      } else {
        one.open = openReason(v);
      }
      one.obligation = v.obligation;
      kernel.obligations.push_back(std::move(one));
    }
    out.kernels.push_back(std::move(kernel));
  }
  return out;
}

}  // namespace tessera::graphene
