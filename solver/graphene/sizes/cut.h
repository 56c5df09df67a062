// Cut: the values with which the later steps of a growing loop begin (growth.h), in a run on terms.
//
//     gemm, K = 5, cut at step 2, one step added
//
//                 before step 2             before step 3
//     %sA[2,..]   %A[i, 64 + k]             %sA[0,..]: %A[i, 96 + k]    moved by 32 columns and turned by a stage
//     %acc        sum of k < 64             sum of k < 96               carried: the same sum with 32 columns more
//     %C[i,j]     at the end, the carried sum and products of later inputs only
//
// An input is late if its tensor is shifted and its coordinate is not below those that the later steps, or the values
// held for them, mention; other inputs of shifted tensors are early. The induction step for the values is:
//
//     moved     a value that is read later is an input, moved by the late shift, or the same and of no shifted tensor
//     carried   or it is carried: a term over early inputs. At the second cut it is a term over the carried values of
//               the first, and over inputs that are late at the first cut and early at the second
//     whole     each value compared with the specification is a term over carried values and late inputs, and is equal
//               to the specified one as a term (by no law about particular values), or by an invariant (carried_sums.h)
//
// So for all carried values, more steps do to both sides what these steps did: the run by the late view, the equation
// by spec_growth.h.
//
// Law: if this holds in the runs at sizes from .. from + period - 1, and their values are right, the values are right
// at every size from there on.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "solver/graphene/running/run_kernel.h"
#include "solver/graphene/sizes/ages.h"
#include "solver/graphene/sizes/growth.h"
#include "solver/graphene/sizes/regions.h"

namespace tessera::graphene {

// A growth at one size, in numbers of the plan instead of variables of the text.
struct CutAt {
  std::vector<int> loops;                // of plan.loops
  i64 at = 0, steps = 0;                 // values of their variables
  i64 overlap = 0, lag = 0;              // likewise
  std::map<int, std::vector<i64>> late;  // by global root: the shift of its coordinates
  std::map<int, Turning> turning;        // by root
  std::map<int, i64> counted;            // by root of mbarriers: the shift of its positions
};

class Cut : public Witness {
 public:
  // `regions`: outlive it.
  Cut(const Plan& plan, CutAt at, const PlanRegions& regions);

  // Why the values do not repeat; empty: they do. Requires a finished run.
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }
  // A place that is read later has no value at one of the cuts.
  [[nodiscard]] bool isUndefined() const { return undefined_; }
  // By global root with a shift: its dimension, and the least coordinate of a late input at the first cut.
  [[nodiscard]] const std::map<int, std::pair<std::size_t, i64>>& lateFrom() const { return lateFrom_; }
  // All pairs were decided by invariants of the carried values (carried_sums.h), none as a term.
  [[nodiscard]] bool byInvariants() const { return !asTerms_; }
  [[nodiscard]] std::size_t carried() const { return carried_[0].values.size(); }

  void begins(const Machine<Terms>& machine) override { machine_ = &machine; }
  [[nodiscard]] int loopOfLeaf(int leaf) const override { return regions_.ofLeaf[leaf].loop; }
  [[nodiscard]] bool wants(int root) const override;
  void touch(const Touched& t) override;
  void compared(Terms::Value expected, Terms::Value actual) override { pairs_.emplace_back(expected, actual); }
  void ended(Terms& terms) override;

 private:
  struct First {  // the first access to a place after a cut
    Terms::Value value = Terms::undefined();
    bool seen = false, read = false;
  };
  void lateInputs(const Terms& terms);
  void held(Terms& terms);
  void outputs(Terms& terms);
  [[nodiscard]] Age inputAge(const Terms::Node& input, int cut) const;
  [[nodiscard]] AgeOfInput ageAt(int cut) const {
    return [this, cut](const Terms::Node& input) { return inputAge(input, cut); };
  }
  [[nodiscard]] bool isMoved(const Terms::Node& a, const Terms::Node& b) const;
  [[nodiscard]] const i64* coordinate(int root, i64 address) const;
  void fail(std::string why) {
    if (obstacle_.empty()) obstacle_ = std::move(why);
  }

  const Plan& plan_;
  CutAt at_;
  const Machine<Terms>* machine_ = nullptr;
  const PlanRegions& regions_;
  std::vector<std::vector<First>> first_[2];  // by cut, root and place
  std::map<int, std::pair<std::size_t, i64>> lateFrom_;
  std::map<int, std::vector<i64>> coordinates_;  // of global roots, by address and dimension
  Opaque carried_[2];
  std::unordered_map<Terms::Value, Terms::Value> next_;  // carried over the second cut, by over the first
  std::vector<std::pair<Terms::Value, Terms::Value>> pairs_;
  std::string obstacle_;
  bool undefined_ = false, asTerms_ = false;
  bool others_ = false;  // other blocks than the first were run
};

}  // namespace tessera::graphene
