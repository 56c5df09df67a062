// check: runs the methods in turn and collects their verdicts.
#include "solver/graphene/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/work_budget.h"
#include "core/graphene/assumptions.h"
#include "core/graphene/spec_tree.h"
#include "solver/graphene/methods.h"

namespace tessera::graphene {
namespace {

constexpr double kFirstShare = 0.4;  // share of the work before anything runs

class Check {
 public:
  Check(const Program& program, const CheckOptions& options)
      : options_(options),
        budget_(workOf(options.budgetSeconds), options.cancel),
        program_(reducedOf(program)),
        sites_(sitesOf(program_, options.architecture)) {
    for (const Variable& v : program.variables)
      if (v.kind == Variable::Kind::Size) result_.sizes.push_back(v.name);
    result_.assumed = assumptionsOf(program);
  }

  CheckResult run() {
    const std::vector<ObligationVerdict> statics = staticOf(sites_, options_.architecture, budget_),
                                         frames = frameOf(sites_);
    for (std::size_t k = 0; k < sites_.specs.size(); ++k) {
      const SpecNode& node = sites_.specs[k];
      SpecVerdict v{node.span, headOf(*node.spec), node.depth, node.leaf >= 0, "", {}};
      v.obligations.push_back(statics[k]);
      if (node.leaf >= 0) {
        const auto site = std::ranges::find(sites_.sites, node.leaf, &Site::leaf);
        if (site != sites_.sites.end() && site->atom) v.atom = site->atom->name;
      } else {
        for (const Obligation o : kDynamic) v.obligations.push_back({o, Standing::Unknown, "", "", std::nullopt, 0});
        v.obligations.insert(v.obligations.begin() + 2, frames[k]);
      }
      result_.specs.push_back(std::move(v));
    }
    if (options_.method != CheckMethod::Z3) numbers();
    // If every instruction belongs to a single thread, asking Z3 is faster than running. Otherwise, and if the numbers
    // are wrong, running decides.
    if (options_.method == CheckMethod::Any) solving(/*threadsOnly=*/true, kFirstShare);
    if (options_.method != CheckMethod::Z3) running();
    if (options_.method != CheckMethod::Running) solving(/*threadsOnly=*/false, 1);
    for (std::size_t k = 0; k < result_.specs.size(); ++k)
      for (ObligationVerdict& o : result_.specs[k].obligations) {
        if (o.standing == Standing::Unknown && o.reason.empty()) o.reason = "no method decides it";
        if (o.obligation == Obligation::Value && o.standing == Standing::Proved && !numbers_.empty() &&
            !numbers_[k].note.empty())
          o.reason += "; " + numbers_[k].note;
      }
    return std::move(result_);
  }

 private:
  // A program that was read has assumptions that some sizes meet.
  static Program reducedOf(const Program& program) {
    auto out = reduced(program);
    return out ? *std::move(out) : program;
  }

  // Merges another method's verdict: it replaces an unknown, and a refutation replaces a proof. Reasons of unknowns are
  // joined.
  void take(std::size_t spec, ObligationVerdict v) {
    for (ObligationVerdict& have : result_.specs[spec].obligations) {
      if (have.obligation != v.obligation) continue;
      if (have.standing == Standing::Unknown ||
          (have.standing == Standing::Proved && v.standing == Standing::Refuted)) {
        if (v.standing == Standing::Unknown && !have.reason.empty() && have.reason != v.reason)
          v.reason = v.reason.empty() ? have.reason : fmt::format("{}; {}", have.reason, v.reason);
        v.seconds += have.seconds;
        have = std::move(v);
      }
      return;
    }
  }

  [[nodiscard]] bool has(std::size_t spec, Standing standing) const {
    return std::ranges::count(result_.specs[spec].obligations, standing, &ObligationVerdict::standing) > 0;
  }
  [[nodiscard]] bool isOpen(std::size_t spec) const {
    return sites_.specs[spec].leaf < 0 && has(spec, Standing::Unknown);
  }

  // A refutation by a run in the program's types is final.
  void numbers() {
    try {
      numbers_ = byNumbers(sites_, options_);
    } catch (const OutOfBudget& end) {
      if (!end.counted()) throw;
      numbers_.clear();
    }
    for (std::size_t k = 0; k < numbers_.size(); ++k)
      for (const ObligationVerdict& v : numbers_[k].refuted) take(k, v);
  }

  void running() {
    std::vector<bool> wanted(sites_.specs.size(), false);  // for kernels
    std::vector<bool> wrongValues;                         // O8 is already refuted: terms need not be compared
    for (std::size_t k = 0; k < sites_.specs.size(); ++k) {
      if (isOpen(k)) wanted[sites_.kernelOf(k)] = true;
      const auto& known = result_.specs[k].obligations;
      wrongValues.push_back(std::ranges::any_of(known, [](const ObligationVerdict& v) {
        return v.obligation == Obligation::Value && v.standing == Standing::Refuted;
      }));
    }
    auto all = byRunning(sites_, wanted, wrongValues, options_, budget_);
    for (std::size_t k = 0; k < all.size(); ++k)
      for (ObligationVerdict& v : all[k]) take(k, std::move(v));
  }

  // Every instruction of the kernel belongs to a single thread and none is asynchronous.
  [[nodiscard]] bool singleThreads(int kernel) const {
    return !sites_.hasAsync && std::ranges::all_of(sites_.sites, [&](const Site& s) {
      return s.specs.front() != kernel || (s.atom && s.atom->lanes == 1);
    });
  }

  void solving(bool threadsOnly, double share) {
    for (std::size_t k = 0; k < sites_.specs.size(); ++k) {
      const SpecNode& node = sites_.specs[k];
      if (!isOpen(k)) continue;
      if (threadsOnly && (node.depth > 0 || has(k, Standing::Refuted) || !singleThreads(static_cast<int>(k)))) continue;
      if (!asked_.insert(k).second) continue;
      if (node.depth > 0) {
        for (const Obligation o : kDynamic)
          take(k, {o, Standing::Unknown, "z3", "inner specifications are decided by running", {}, 0});
        continue;
      }
      const prover::Budget part(budget_.share(share), options_.cancel);
      for (ObligationVerdict& v : byZ3(sites_, static_cast<int>(k), result_.specs[k].obligations, part))
        take(k, std::move(v));
    }
  }

  const CheckOptions& options_;
  const prover::Budget budget_;
  const Program program_;  // over the sizes that its assumptions leave
  Sites sites_;
  CheckResult result_;
  std::vector<ByNumbers> numbers_;  // by specification
  std::set<std::size_t> asked_;     // kernels already passed to Z3
};

CheckResult gaveUp(const Program& program, const std::string& reason) {
  CheckResult out;
  for (const Statement& s : program.specs)
    if (const auto* spec = std::get_if<Spec>(&s.what)) {
      SpecVerdict v{s.span, headOf(*spec), 0, !spec->decomposed, "", {}};
      for (int o = 0; o < kObligations; ++o)
        v.obligations.push_back({static_cast<Obligation>(o), Standing::Unknown, "", reason, std::nullopt, 0});
      out.specs.push_back(std::move(v));
    }
  return out;
}

}  // namespace

std::string_view name(Standing standing) {
  constexpr std::string_view kNames[] = {"proved", "refuted", "unknown", "not stated"};
  return kNames[static_cast<std::size_t>(standing)];
}

ObligationVerdict refuted(std::string method, Finding f) {
  ObligationVerdict v{f.obligation, Standing::Refuted, std::move(method), f.message, std::nullopt, 0};
  v.finding = std::move(f);
  return v;
}

bool CheckResult::holds() const {
  return std::ranges::all_of(specs, [](const SpecVerdict& s) {
    return std::ranges::all_of(s.obligations, [](const ObligationVerdict& o) {
      return o.standing == Standing::Proved || o.standing == Standing::NotStated;
    });
  });
}

const Finding* CheckResult::firstFinding() const {
  for (const SpecVerdict& s : specs)
    for (const ObligationVerdict& o : s.obligations)
      if (o.finding) return &*o.finding;
  return nullptr;
}

CheckResult checkProgram(const Program& program, const CheckOptions& options) {
  try {
    const WorkBudget limit({.seconds = options.budgetSeconds, .cancel = options.cancel});
    return Check(program, options).run();
  } catch (const OutOfBudget& end) {
    return gaveUp(program, end.what());
  }
}

}  // namespace tessera::graphene
