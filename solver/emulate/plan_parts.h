// Parts of makePlan that know nothing of names: sizes of storage and launches, and an atom's tables beside its operands.
#pragma once

#include "solver/emulate/plan.h"

namespace tessera::graphene {

[[nodiscard]] inline std::string nameOf(const Tensor& t) { return (t.threads ? "#" : "%") + t.name; }

// The loops that `e`, over digits 0 blockIdx.x, 1 threadIdx.x, 2 .. the loops, reads. A Diag for a divisor that is not a number: it
// might be zero.
[[nodiscard]] Result<std::vector<int>> loopsOf(const Expr& e);
// Addresses that a declared tensor has: 1056 of [32,32:33,1]. Its sizes are numbers, or it is a Diag.
[[nodiscard]] Result<i64> placesOf(const Tensor& t);
// How many blocks or threads: the numbers 0 to n - 1, each once, at most `most`.
[[nodiscard]] Result<i64> launchOf(const Tensor& t, i64 most, Span span);
// Terms, used slots, alignment and accesses of leaf.atom into the leaf; a Diag where they do not fit its operands: what another
// part got wrong must not be an access out of range here.
[[nodiscard]] Result<void> fitAtom(PlanLeaf& leaf);

}  // namespace tessera::graphene
