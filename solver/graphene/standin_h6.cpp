// Until h7's checkProgram is here: nothing is decided.
#include "solver/graphene/check.h"

namespace tessera::graphene {

std::string_view name(Standing standing) {
  static constexpr std::string_view kNames[] = {"proved", "refuted", "unknown", "not stated"};
  return kNames[static_cast<int>(standing)];
}

bool CheckResult::holds() const {
  for (const SpecVerdict& s : specs)
    for (const ObligationVerdict& o : s.obligations)
      if (o.standing == Standing::Refuted || o.standing == Standing::Unknown) return false;
  return true;
}

const Finding* CheckResult::firstFinding() const {
  for (const SpecVerdict& s : specs)
    for (const ObligationVerdict& o : s.obligations)
      if (o.finding) return &*o.finding;
  return nullptr;
}

CheckResult checkProgram(const Program& program, const CheckOptions&) {
  CheckResult out;
  for (const Statement& s : program.specs) {
    if (!std::holds_alternative<Spec>(s.what)) continue;
    SpecVerdict v;
    v.span = s.span;
    v.spec = "spec";
    for (int k = 0; k < kObligations; ++k)
      v.obligations.push_back({static_cast<Obligation>(k), Standing::Unknown, "", "not built yet", {}, 0});
    out.specs.push_back(v);
  }
  return out;
}

}  // namespace tessera::graphene
