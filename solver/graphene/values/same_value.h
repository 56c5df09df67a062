// SameValue: decides whether two terms (solver/emulate/terms.h), an actual and a specified one, have the same value, in
// three steps:
//
//     1. equal terms             sums and products in any order, max and min as sets
//     2. equal in the algebra    (solver/graphene/values/algebra.h) max(x, 0) is relu(x); the laws are named
//     3. different on numbers    8 seeds of random inputs between -1 and 1; an extreme value for an input that only one
//                                of them reads, so that a maximum shows it; all inputs far below or far above 0
//
// If no step decides, the answer is unknown: a different form is no refutation, and agreement on numbers is no proof.
//
// Law: equal(a, b) and differ(a, b) never both hold. Everything is over the real numbers, without rounding.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solver/graphene/values/algebra.h"
#include "solver/graphene/values/term_numbers.h"

namespace tessera::graphene {

class SameValue {
 public:
  static constexpr int kSeeds = 8;

  explicit SameValue(Terms& terms);

  // Steps 1 and 2.
  [[nodiscard]] bool equal(Terms::Value a, Terms::Value b);
  struct Difference {
    double wanted = 0, got = 0;
    std::string inputs;  // "random inputs between -1 and 1, seed 3"
  };
  // Step 3. nullopt where `wanted` is not a number.
  [[nodiscard]] std::optional<Difference> differ(Terms::Value wanted, Terms::Value got);
  // The first part of step 3 with one seed, 1 to kSeeds; then the rest.
  [[nodiscard]] std::optional<Difference> differ(Terms::Value wanted, Terms::Value got, int seed);
  [[nodiscard]] std::optional<Difference> differFarOut(Terms::Value wanted, Terms::Value got);

  // Some terms were equal only by step 2.
  [[nodiscard]] bool usedAlgebra() const { return usedAlgebra_; }
  // The algebra grew too large and was abandoned.
  [[nodiscard]] bool algebraGone() const { return algebraGone_; }
  // "sums and products in any order, relu(x) = max(x, 0)"
  [[nodiscard]] std::string laws() const;

 private:
  Terms& terms_;
  Algebra algebra_;
  std::vector<TermNumbers> numbers_;  // by seed
  TermNumbers below_, above_;         // 0
  bool usedAlgebra_ = false, algebraGone_ = false;
};

}  // namespace tessera::graphene
