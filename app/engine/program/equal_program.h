// equal_program: answers `prove equal(NAME, OTHER)` for Graphene programs.
//
//     equal(fused, unfused) with M=1     proved by terms: 4096 elements of %Y are equal over the real numbers (...)
//     equal(fused, unfused) within 1e-2  proved by bounds: in their types |fused - unfused| <= 7.1e-03 for ...
//
// Law: the verdict is refuted only if a run of both programs left different values; its counterexample names the
// element, both values and the inputs (solver/graphene/equal/equal.h).
#pragma once

#include <atomic>

#include "core/worksheet/requests.h"

namespace tessera {

// A Diag: the programs cannot be compared; without a place.
[[nodiscard]] Result<Verdict> equalVerdict(const EqualRequest& request, double budgetSeconds,
                                           const std::atomic<bool>* cancel);

}  // namespace tessera
