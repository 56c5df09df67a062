#include "solver/prove/structure/same_maps.h"

#include <algorithm>
#include <memory>

#include "core/base/work_budget.h"
#include "solver/prove/prove.h"

namespace tessera {

hlo::SameMaps sameByProof(double each, double all) {
  const auto left = std::make_shared<Work>(workOf(all));
  return [left, each](const Map& a, const Map& b) {
    if (*left <= 0) return hlo::Same::Unknown;
    const Claim claim{.says = claims::Equal{}, .unions = {{"", {a}, {b}}}};
    ProveOptions options;
    options.budgetSeconds = std::min(each, secondsOf(*left));
    options.exhaustiveLimit = i64{1} << 18;
    const Work begin = workSpent();
    const Verdict verdict = prove(claim, options);
    *left -= workSpent() - begin;
    return verdict.truth == Truth::Proved    ? hlo::Same::Yes
           : verdict.truth == Truth::Refuted ? hlo::Same::No
                                             : hlo::Same::Unknown;
  };
}

}  // namespace tessera
