// Parts of makePlan that do not involve names: sizes of storage and launches, and an atom's tables for its operands.
#pragma once

#include "solver/emulate/plan.h"

namespace tessera::graphene {

// The loops that `e`, over digits 0 blockIdx.x, 1 threadIdx.x, 2 .. the loops, reads. Returns a Diag for a non-constant
// divisor, which might be zero.
[[nodiscard]] Result<std::vector<int>> loopsOf(const Expr& e);
// Number of addresses of a declared tensor: 1056 for [32,32:33,1]. Returns a Diag unless its sizes are constants.
[[nodiscard]] Result<i64> placesOf(const Tensor& t);
// Number of blocks or threads. Requires the values 0 to n - 1, each once, and n <= most; otherwise returns a Diag.
[[nodiscard]] Result<i64> launchOf(const Tensor& t, i64 most, Span span);
// Fills in terms, used slots, alignment and accesses from leaf.atom. Returns a Diag if they do not match the operands,
// so that an inconsistent atom cannot cause an out-of-range access.
[[nodiscard]] Result<void> fitAtom(PlanLeaf& leaf);

}  // namespace tessera::graphene
