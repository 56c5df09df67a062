#include "solver/graphene/certificate/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/work_budget.h"
#include "core/graphene/assumptions.h"
#include "solver/graphene/certificate/goals.h"
#include "solver/graphene/certificate/instances.h"
#include "solver/graphene/methods.h"

namespace tessera::graphene {
namespace {

std::string openReason(const ObligationVerdict& v) {
  if (v.obligation == Obligation::Static) return "the table of instructions and the text decide it";
  if (v.standing == Standing::NotStated) return "not stated: " + v.reason;
  return "unknown: " + v.reason;
}

// Whether every access is to a view of what the specifications around it name, and every read of an operand is of an
// input, or of the matrix to which a product is added.
bool isFramed(const Sites& sites, std::size_t kernel, const std::vector<ObligationVerdict>& frames) {
  for (std::size_t s = 0; s < frames.size(); ++s)
    if (sites.kernelOf(s) == kernel && frames[s].standing != Standing::Proved) return false;
  const SpecNode& node = sites.specs[kernel];
  const auto isRead = [&](int storage) {
    const auto among = [&](const std::vector<int>& nodes) {
      return std::ranges::any_of(nodes, [&](int n) { return sites.storageOf(n) == storage; });
    };
    return among(node.inputs) || (node.spec->kind == SpecKind::MatMul && among(node.outputs));
  };
  return std::ranges::all_of(sites.sites, [&](const Site& site) {
    if (site.specs.front() != static_cast<int>(kernel)) return true;
    return std::ranges::all_of(site.accesses,
                               [&](const Access& a) { return !a.read || !sites.of(a).operand || isRead(a.storage); });
  });
}

void onlyTogether(KernelCertificate& kernel, Obligation of, std::initializer_list<Obligation> others) {
  auto& all = kernel.obligations;
  const auto value = std::ranges::find(all, of, &ObligationCertificate::obligation);
  if (value == all.end() || !value->complete) return;
  for (const Obligation o : others) {
    const auto other = std::ranges::find(all, o, &ObligationCertificate::obligation);
    if (other != all.end() && other->complete) continue;
    *value = {of, false, fmt::format("rests on {}, which is open", label(o)), {}, {}};
    return;
  }
}

// Over M/128 of each size with an assumption M % 128 == 0, the first of the text. The others are only hypotheses.
Program overUnits(Program program) {
  std::vector<Assumption> divisors;
  std::set<int> done;
  for (const Assumption& a : program.assumptions)
    for (const Comparison& c : a.condition) {
      const bool plain = c.op == "==" && c.left.op() == Op::Mod && c.left.lhs().op() == Op::Param &&
                         c.left.rhs().isConstant() && c.right.isConstant(0);
      if (plain && done.insert(c.left.lhs().index()).second) divisors.push_back({{c}, a.span});
    }
  program.assumptions = std::move(divisors);
  auto out = reduced(program);
  if (!out.ok()) program.assumptions.clear();
  return out.ok() ? *std::move(out) : program;
}

}  // namespace

std::size_t Certificate::complete() const {
  std::size_t out = 0;
  for (const KernelCertificate& k : kernels)
    out += static_cast<std::size_t>(std::ranges::count(k.obligations, true, &ObligationCertificate::complete));
  return out;
}

Certificate certificateOf(const Program& program, const CheckResult& result, const CheckOptions& options,
                          bool parameters) {
  Certificate out;
  const Program all = overUnits(program);
  const Sites sites = sitesOf(all, options.architecture, &program);
  const auto called = [](const SpecNode& s) { return !s.spec->called.empty(); };
  if (parameters || std::ranges::any_of(sites.specs, called)) out.expanded = print(program);
  const std::vector<ObligationVerdict> frames = frameOf(sites);
  const prover::Budget budget(workOf(options.budgetSeconds), options.cancel);
  for (std::size_t k = 0; k < sites.specs.size() && k < result.specs.size(); ++k) {
    if (sites.specs[k].depth != 0 || sites.specs[k].leaf >= 0) continue;
    KernelCertificate kernel{sites.specs[k].span, result.specs[k].spec, {}};
    const Z3Kernel own(sites, static_cast<int>(k), budget);
    for (const ObligationVerdict& v : result.specs[k].obligations) {
      const bool has = v.standing == Standing::Proved && v.obligation != Obligation::Static;
      ObligationCertificate one;
      if (has && v.obligation == Obligation::Frame) {
        one.complete = isFramed(sites, k, frames);
        if (!one.complete)
          one.open = "an access to another view of what its specification names, or a read of an output";
      } else if (has) {
        try {
          const WorkBudget each({.seconds = options.budgetSeconds, .cancel = options.cancel});
          one = goalsOf(own, v.obligation, program);
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
    // No thread reads what its own copy may still write, by O6.
    if (std::ranges::any_of(own.own(), [](const Site* s) { return Instances::isCopy(*s); }))
      onlyTogether(kernel, Obligation::Definedness, {Obligation::Races});
    // What a read sees rests on O6 and O7, and a sum on O4 and O5 too.
    onlyTogether(kernel, Obligation::Value,
                 {Obligation::Coverage, Obligation::Uniqueness, Obligation::Races, Obligation::Definedness});
    out.kernels.push_back(std::move(kernel));
  }
  return out;
}

}  // namespace tessera::graphene
