// Refutation: a proof that integer linear inequalities have no common solution, which a reader can add up.
//
//     8*t + m - 8*u - n >= 0     7 - m >= 0     n >= 0     u - t - 1 >= 0
//     1 * first + 1 * second + 1 * third + 8 * fourth:      -1 >= 0
//
//     2*x - 1 >= 0     1 - 2*x >= 0             x = 1/2: no sum is contradictory
//     split x <= 0 or x >= 1
//         below   2 * (0 - x >= 0) + 1 * first:             -1 >= 0
//         above   2 * (x - 1 >= 0) + 1 * second:            -1 >= 0
//
// A leaf has nonnegative multipliers (Farkas): the combination has no variable left and a negative constant. An inner
// node splits on a sum of monomials, which is an integer. Monomials count as variables: products of sizes are opaque.
//
// Found by the simplex method (phase 1, Bland's rule) on the multipliers, with exact fractions. If it has no solution,
// its dual values are a rational solution of the inequalities, and a sum that is wrong there is split: a quotient minus
// its value as a sum of digits, which is 0; s of the first inequality g*s + r >= 0 or of an equation g*s + r = 0, or
// the difference of a digit of two copies ($thread0 and $thread0'), if it is fractional or one side is at once
// impossible; or a fractional monomial.
//
// Law: if refute(s) has a value, no integers satisfy s. The converse is false: the search is bounded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solver/graphene/certificate/linear_form.h"

namespace tessera::graphene {

struct Refutation {
  // Of the inequalities, then of the splits on the way here, outermost first: number, multiplier > 0.
  std::vector<std::pair<std::size_t, i64>> multipliers;
  // Or a split: the form (without a constant) <= at, or >= at + 1.
  LinearForm split;
  i64 at = 0;
  std::unique_ptr<Refutation> below, above;
};

// Each form is >= 0. nullopt: a solution exists, numbers exceed 128 bits, or there are more than `nodes` nodes.
[[nodiscard]] std::optional<Refutation> refute(const std::vector<LinearForm>& forms, int nodes);

// The inequalities that the refutation uses, and the refutation of these alone.
struct SmallRefutation {
  std::vector<LinearForm> uses;
  Refutation proof;
};
[[nodiscard]] SmallRefutation withoutUnused(const std::vector<LinearForm>& forms, Refutation proof);

}  // namespace tessera::graphene
