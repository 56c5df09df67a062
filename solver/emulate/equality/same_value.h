// SameValue: decides whether two terms (solver/emulate/terms.h), an actual and a specified one, have the same value, in
// three steps:
//
//     1. equal terms             sums and products in any order, max and min as sets
//     2. equal in the algebra    (solver/emulate/equality/algebra.h) max(x, 0) is relu(x); the laws are named
//     3. different on numbers    8 seeds of random inputs between -1 and 1; an extreme value for an input that only one
//                                of them reads, so that a maximum shows it; all inputs far below or far above 0
//
// If no step decides, the answer is unknown: a different form refutes nothing, and agreement on numbers is not a proof.
//
// Law: equal(a, b) and differ(a, b) never both hold. Everything is over the real numbers, without rounding.
#pragma once

#include "solver/emulate/equality/algebra.h"
#include "solver/emulate/equality/renaming.h"

namespace tessera::graphene {

// TermNumbers: evaluates terms on random inputs, to tell apart two terms that no law makes equal.
//
//     TermNumbers({.seed = 1}).of(terms, t)      inputs between -1 and 1, fixed per input; integers in the input's type
//     {.seed = 1, .scale = 100, .single = true}  as in fp32: values beyond 3.4e38 are infinite
//     {.seed = 1, .middle = -1e5}                all inputs between -100001 and -99999
//     {.seed = 1, .special = t, .value = 3}      the input t is 3
//
// Law: the result depends only on the seed, the options and the term.

class TermNumbers {
 public:
  struct Options {
    u64 seed = 1;
    double scale = 1;
    bool single = false;  // round to fp32, with overflow to infinity
    double middle = 0;
    Terms::Value special = Terms::absent();  // an input
    double value = 0;                        // value of `special`
  };
  explicit TermNumbers(const Options& options) : options_(options) {}
  [[nodiscard]] double of(Terms& terms, Terms::Value v);
  // The largest magnitude among all intermediate values so far, infinite constants of the text excluded.
  [[nodiscard]] double most() const { return most_; }

 private:
  [[nodiscard]] double compute(Terms& terms, Terms::Value v, const Terms::Sum& sum);
  [[nodiscard]] double random(Terms& terms, Terms::Value v, const Terms::Node& input) const;

  Options options_;
  std::unordered_map<Terms::Value, double> known_;
  double most_ = 0;
};

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
  // Two short cuts of step 2, after it has proved a pair and so recorded the laws: the subterms that both share are
  // atoms, or the pair is a proved one with its inputs renamed.
  [[nodiscard]] bool equalAround(const Renaming::Pair& pair);
  [[nodiscard]] bool renamed(const Renaming::Pair& pair);
  // A short cut that has failed this often and never helped is not tried again.
  struct Use {
    int failed = 0;
    bool helped = false;
    [[nodiscard]] bool pays() const { return helped || failed < 16; }
    bool note(bool success) {
      helped = helped || success;
      failed += success ? 0 : 1;
      return success;
    }
  };
  static constexpr std::size_t kMostProved = 4;

  Terms& terms_;
  Algebra algebra_, around_;
  ValueTable below_[2];  // the subterms of a pair
  Renaming renaming_;
  std::vector<Renaming::Pair> proved_;  // by the algebra, the last one first
  Use aroundUse_, renamingUse_;
  std::vector<TermNumbers> numbers_;  // by seed
  TermNumbers farBelow_, farAbove_;   // 0
  bool usedAlgebra_ = false, algebraGone_ = false;
};

}  // namespace tessera::graphene
