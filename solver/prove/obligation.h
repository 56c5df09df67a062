// Obligations: what the rungs of the ladder decide. A Claim reduces to these three shapes (reduce.cpp):
//
//     Pointwise   every real point meets every goal          in_bounds, equal, roundtrip
//     Pairs       no two real points have the same image     injective
//     Cover       every place of the codomain is hit         surjective
//
// A rung answers with an Answer in the obligation's own digits; the reduction turns it back into the claim's words and
// replays it. A rung that cannot tell says Unknown and why; it never guesses.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "core/base/patience.h"
#include "core/claim/claim.h"
#include "core/map/map.h"

namespace tessera::prover {

// The work that one prove() call, or a rung of it, may do on this thread, and its cancel flag. What spend() counts and
// what Z3 uses is taken from it.
class Budget {
 public:
  Budget(Work work, const std::atomic<bool>* cancel);
  [[nodiscard]] bool cancelled() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }
  // Never more than the thread's Patience has left.
  [[nodiscard]] Work remaining() const;
  // That share of what remains, 0 to 1.
  [[nodiscard]] Work share(double of) const;
  [[nodiscard]] bool spent() const { return cancelled() || remaining() <= 0; }
  // "cancelled" or "out of budget (10 s of work)".
  [[nodiscard]] std::string reason() const;

 private:
  Work begin_, work_;
  const std::atomic<bool>* cancel_;
};

// lo <= left <= hi, or left == right when there is a right.
struct Goal {
  Expr left;
  std::optional<Expr> right;
  i64 lo = 0;
  i64 hi = 0;
};

// For every point of the box and every parameter value: all of `assume` hold => all of `goals` hold.
// Goals are in order: a goal may rely on the earlier ones (g's domain before g's value).
struct Pointwise {
  std::vector<Digit> digits;
  std::vector<Param> params;
  std::vector<Guard> assume;
  std::vector<Goal> goals;
};

struct Answer {
  Truth truth = Truth::Unknown;
  std::string method;
  std::string detail;                    // proved: why; unknown: the reason
  std::vector<std::vector<i64>> points;  // refuted: one point (Pointwise) or two (Pairs), a value per digit
  std::vector<i64> params;               // refuted: parameter values
  std::optional<std::vector<i64>> hole;  // refuted Cover: a place that is not hit, a value per axis
  std::vector<std::pair<std::string, std::string>> smt2;
};

[[nodiscard]] Answer proved(std::string method, std::string detail);
[[nodiscard]] Answer unknown(std::string method, std::string reason);
[[nodiscard]] Answer refuted(std::string method, std::vector<std::vector<i64>> points, std::vector<i64> params = {});
[[nodiscard]] Answer uncovered(std::string method, std::vector<i64> hole, std::vector<i64> params = {});

// Lowest admissible value of each parameter.
[[nodiscard]] std::vector<i64> lowestParams(const std::vector<Param>& params);
// "axis 'lane'"; "result 1" of a map whose results have no names. Requires an axis of the map.
[[nodiscard]] std::string named(const Map& map, const Axis& axis);
// Product of all extents; nullopt beyond 2^63-1.
[[nodiscard]] std::optional<i64> countPoints(const std::vector<Digit>& digits);
// "(2,0)"; "7" for one value.
[[nodiscard]] std::string tuple(const std::vector<i64>& values);
// The same map with every axis e peeled to h when e = g(h) and g is injective on h's range: an xor swizzle on top of a
// layout falls off, so that what is left has no xor. Injectivity of the result and of `map` are the same claim, pair
// by pair. `peeled` says what fell off ("a bijective swizzle"), empty when nothing did.
struct Peeled {
  Map map;
  std::string peeled;
};
[[nodiscard]] Peeled peelInjective(const Map& map);

// witness.cpp: a point for every place, when the strides name one; what is left to show is pointwise over the places.
// Proving it proves coverage, refuting it says nothing.
[[nodiscard]] std::optional<Pointwise> coverByWitness(const Map& map);

// by_simplify.cpp
[[nodiscard]] Answer bySimplify(const Pointwise& p);
[[nodiscard]] Answer bySimplify(const Map& pairs);
// by_strided.cpp
[[nodiscard]] Answer byStrided(const Pointwise& p);
[[nodiscard]] Answer byStrided(const Map& pairs);
[[nodiscard]] Answer byStridedCover(const Map& map);
// by_sets.cpp: set equality with Fan digits; both maps have the same Index digits, in order
[[nodiscard]] Answer byStridedSets(const Map& f, const Map& g);
// by_f2.cpp
[[nodiscard]] Answer byF2(const Pointwise& p);
[[nodiscard]] Answer byF2(const Map& pairs);
[[nodiscard]] Answer byF2Cover(const Map& map);
// exhaustive.cpp; `limit` in points, refused beyond it
[[nodiscard]] Answer exhaustive(const Pointwise& p, i64 limit, const Budget& budget);
[[nodiscard]] Answer exhaustive(const Map& pairs, i64 limit, const Budget& budget);
[[nodiscard]] Answer exhaustiveCover(const Map& map, i64 limit, const Budget& budget);
// Set equality with Fan digits; both maps have the same Index digits, in order. points = {the index coordinates}.
[[nodiscard]] Answer exhaustiveSets(const Map& f, const Map& g, i64 limit, const Budget& budget);
// z3_*.cpp; `name` names the SMT-LIB file
[[nodiscard]] Answer byZ3(const Pointwise& p, const std::string& name, bool exportSmt2, const Budget& budget);
[[nodiscard]] Answer byZ3(const Map& pairs, const std::string& name, bool exportSmt2, const Budget& budget);
// Coverage, a question a place; unknown when more than `most` are needed
// and none of those where holes are likely is one.
[[nodiscard]] Answer byZ3Cover(const Map& map, i64 most, const std::string& name, bool exportSmt2,
                               const Budget& budget);

}  // namespace tessera::prover
