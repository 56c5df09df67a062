#include "solver/graphene/z3/by_z3.h"

#include <algorithm>
#include <chrono>

#include "core/base/work_budget.h"
#include "solver/graphene/z3/z3_kernel.h"
#include "solver/prove/prove.h"

namespace tessera::graphene {
namespace {

struct Row {
  Obligation obligation;
  ObligationVerdict (*decide)(const Z3Kernel&);
};
constexpr Row kRows[] = {
    {Obligation::Bounds, z3Bounds}, {Obligation::Coverage, z3Coverage},       {Obligation::Uniqueness, z3Uniqueness},
    {Obligation::Races, z3Races},   {Obligation::Definedness, z3Definedness}, {Obligation::Value, z3Value},
};

// A sum is right if each of its products is right and occurs (O4) exactly once (O5).
void sumIsAll(std::vector<ObligationVerdict>& verdicts) {
  ObligationVerdict& value = verdicts.back();
  for (const ObligationVerdict& v : verdicts) {
    const bool part = v.obligation == Obligation::Coverage || v.obligation == Obligation::Uniqueness;
    if (!part || v.standing == Standing::Proved || value.standing == Standing::Refuted) continue;
    if (v.standing == Standing::Unknown && value.standing != Standing::Proved) continue;
    value.standing = v.standing;
    value.reason = v.reason;
    value.finding = v.finding;
    if (value.finding) value.finding->obligation = Obligation::Value;
  }
}

}  // namespace

std::vector<ObligationVerdict> byZ3(const Sites& sites, int kernel, const std::vector<ObligationVerdict>& known,
                                    const prover::Budget& budget) {
  const Z3Kernel k(sites, kernel, budget);
  std::vector<ObligationVerdict> out;
  for (const Row& row : kRows) {
    const auto refuted = std::find_if(known.begin(), known.end(), [&](const ObligationVerdict& v) {
      return v.obligation == row.obligation && v.standing == Standing::Refuted;
    });
    if (refuted != known.end()) {
      out.push_back(*refuted);
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    ObligationVerdict v = verdict(row.obligation, Standing::Unknown, "");
    if (!haveZ3()) {
      v.reason = "this build has no Z3";
    } else if (budget.spent()) {
      v.reason = budget.reason();
    } else {
      try {
        v = row.decide(k);
      } catch (const OutOfBudget& end) {
        v.reason = end.what();
      }
    }
    v.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    out.push_back(std::move(v));
  }
  if (functionOf(*sites.specs[static_cast<std::size_t>(kernel)].spec) == SpecKind::MatMul) sumIsAll(out);
  return out;
}

}  // namespace tessera::graphene
