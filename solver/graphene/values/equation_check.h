// EquationCheck: O8 for a generic specification that states its result by equations (`means`, core/graphene/meaning.h).
//
// The decomposition runs on terms, and the equations are evaluated on the same inputs. For each written element:
//
//     1. equal terms                       solver/emulate/equality/same_value.h
//     2. equal in the algebra              proved, naming the laws
//     3. different on random numbers       refuted, with the element and both values
//     4. equal on all numbers tried        unknown: agreement is not a proof
//
// Everything is over the real numbers, without rounding, as the verdict states. A proved result is then tried in fp32
// with inputs of up to 100: a softmax that does not subtract its maximum is right over the reals but infinite on a
// device. It is refuted if the equations themselves stay within a million.
#pragma once

#include "solver/emulate/meaning_value.h"
#include "solver/graphene/running/run_state.h"

namespace tessera::graphene {

class EquationCheck {
 public:
  // Requires: the specification has equations. `run` must outlive it.
  explicit EquationCheck(SpecRun& run) : run_(run) {}

  // Compares one activation that was run by the threads `team`.
  void outcome(i64 block, const std::vector<i64>& team, const std::vector<i64>& loops);
  // Adds the verdict over all activations.
  void conclude();

 private:
  struct Pair {
    int root = 0;
    i64 block = 0;
    PlaceOf place;
    Terms::Value expected = 0, actual = 0;
  };
  struct Activation;
  static constexpr std::size_t kMostPairs = 4096, kMostSamples = 64;

  void compareAt(const Activation& a, int root, const PlaceOf& place, Terms::Value expected, bool sample);
  [[nodiscard]] bool refutedByNumbers();
  [[nodiscard]] bool refutedByRange();
  void refute(const Pair& pair, double wanted, double got, const std::string& how) const;

  SpecRun& run_;
  i64 compared_ = 0, open_ = 0;
  std::vector<Pair> pairs_, samples_;  // not equal by any law; to be tried in fp32
  std::string fault_;
};

}  // namespace tessera::graphene
