// Obligations: the questions that the rungs of the ladder decide. A Claim reduces to one of three shapes (reduce.cpp):
//
//     Pointwise   every real point meets every goal          in_bounds, equal, roundtrip
//     Pairs       no two real points have the same image     injective
//     Cover       every place of the codomain is hit         surjective
//
// A rung returns an Answer in the obligation's own digits; the reduction translates it back to the claim's terms and
// replays it. A rung that cannot decide returns Unknown with the reason; it never guesses.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/work_budget.h"
#include "core/claim/claim.h"
#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera::prover {

// The work that a prove() call, or one of its rungs, may do on this thread, and its cancel flag. The steps counted by
// spend() and by Z3 are subtracted from it.
class Budget {
 public:
  Budget(Work work, const std::atomic<bool>* cancel);
  [[nodiscard]] bool cancelled() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }
  // At most what the thread's WorkBudget has left.
  [[nodiscard]] Work remaining() const;
  // A share of the remaining work, 0 to 1.
  [[nodiscard]] Work share(double of) const;
  [[nodiscard]] bool spent() const { return cancelled() || remaining() <= 0; }
  // "cancelled" or "out of budget (10 s of work)".
  [[nodiscard]] std::string reason() const;

 private:
  Work begin_, work_;
  const std::atomic<bool>* cancel_;
};

// lo <= left <= hi, or left == right if `right` is set.
struct Goal {
  Expr left;
  std::optional<Expr> right;
  i64 lo = 0;
  i64 hi = 0;
};

// At every point of the box and for every parameter value: if all of `assume` hold, all of `goals` hold. Goals are
// ordered: a goal may rely on the earlier ones (g's domain before g's value).
struct Pointwise {
  std::vector<Digit> digits;
  std::vector<Param> params;
  std::vector<Guard> assume;
  std::vector<Goal> goals;
};

struct Answer {
  Truth truth = Truth::Unknown;
  std::string method = {};
  std::string detail = {};                    // proved: why; unknown: the reason
  std::vector<std::vector<i64>> points = {};  // refuted: one point (Pointwise) or two (Pairs), a value per digit
  std::vector<i64> params = {};               // refuted: parameter values
  std::optional<std::vector<i64>> hole = {};  // refuted Cover: a place that is not hit, a value per axis
  std::vector<std::pair<std::string, std::string>> smt2 = {};
};

[[nodiscard]] Answer proved(std::string method, std::string detail);
[[nodiscard]] Answer unknown(std::string method, std::string reason);
[[nodiscard]] Answer refuted(std::string method, std::vector<std::vector<i64>> points, std::vector<i64> params = {});
[[nodiscard]] Answer uncovered(std::string method, std::vector<i64> hole, std::vector<i64> params = {});

// Lowest admissible value of each parameter.
[[nodiscard]] std::vector<i64> lowestParams(const std::vector<Param>& params);
// "axis 'lane'"; "result 1" for a map with unnamed results. Requires an axis of the map.
[[nodiscard]] std::string named(const Map& map, const Axis& axis);
// Product of all extents; nullopt beyond 2^63-1.
[[nodiscard]] std::optional<i64> countPoints(const std::vector<Digit>& digits);
// The same for the codomain. Requires an extent of every axis.
[[nodiscard]] std::optional<i64> countPlaces(const Map& map);
// The expressions of a map: its axes, then its guards. Of goals: both sides, in order.
[[nodiscard]] std::vector<Expr> axisExprs(const Map& map);
[[nodiscard]] std::vector<Expr> allExprs(const Map& map);
[[nodiscard]] std::vector<Expr> goalExprs(const std::vector<Goal>& goals);
// With digit k replaced by values[k].
[[nodiscard]] Goal substituted(const Goal& goal, std::span<const Expr> values);
[[nodiscard]] Guard substituted(const Guard& guard, std::span<const Expr> values);
// The ranges of the digits, from 0.
[[nodiscard]] Environment boxOf(const std::vector<Digit>& digits);
[[nodiscard]] std::vector<i64> extentsOf(const std::vector<Digit>& digits);
// The digits, or a point's values of the digits, `which`.
[[nodiscard]] std::vector<Digit> digitsOf(const Map& map, const std::vector<int>& which);
[[nodiscard]] std::vector<i64> picked(const std::vector<i64>& point, const std::vector<int>& which);
// Whether the point has a value for each digit, within its extent; and whether it meets the guards too.
[[nodiscard]] bool inBox(const std::vector<Digit>& digits, const std::vector<i64>& point);
[[nodiscard]] bool meets(const std::vector<Guard>& guards, const std::vector<Digit>& digits,
                         const std::vector<i64>& point);
// Drops goals that are literally among the assumptions.
void dropAssumed(Pointwise& p);
// "(2,0)"; "7" for one value.
[[nodiscard]] std::string tuple(const std::vector<i64>& values);
// The map with each axis e replaced by h if e = g(h) and g is injective on h's range. This removes an xor swizzle on
// top of a layout, and the result has no xor. Injectivity of the result and of `map` are equivalent, pair by pair.
// `peeled` describes what was removed ("a bijective swizzle"), empty if nothing.
struct Peeled {
  Map map;
  std::string peeled;
};
[[nodiscard]] Peeled peelInjective(const Map& map);

// witness.cpp: a point for every place, if the strides determine one; the remaining goals are pointwise over the
// places. A proof of them proves coverage; a refutation proves nothing.
[[nodiscard]] std::optional<Pointwise> coverByWitness(const Map& map);

// by_strided.cpp
[[nodiscard]] Answer bySimplify(const Pointwise& p);
[[nodiscard]] Answer bySimplify(const Map& pairs);
[[nodiscard]] Answer byStrided(const Pointwise& p);
[[nodiscard]] Answer byStrided(const Map& pairs);
[[nodiscard]] Answer byStridedCover(const Map& map);
// by_sets.cpp: set equality with Fan digits; both maps must have the same Index digits, in order
[[nodiscard]] Answer byStridedSets(const Map& f, const Map& g);
// by_f2.cpp
[[nodiscard]] Answer byF2(const Pointwise& p);
[[nodiscard]] Answer byF2(const Map& pairs);
[[nodiscard]] Answer byF2Cover(const Map& map);
// exhaustive.cpp; `limit` in points, unknown beyond it
[[nodiscard]] Answer exhaustive(const Pointwise& p, i64 limit, const Budget& budget);
[[nodiscard]] Answer exhaustive(const Map& pairs, i64 limit, const Budget& budget);
[[nodiscard]] Answer exhaustiveCover(const Map& map, i64 limit, const Budget& budget);
// Set equality with Fan digits; both maps must have the same Index digits, in order. points = {the index coordinates}.
[[nodiscard]] Answer exhaustiveSets(const Map& f, const Map& g, i64 limit, const Budget& budget);
// z3_*.cpp; `name`: of the SMT-LIB file
[[nodiscard]] Answer byZ3(const Pointwise& p, const std::string& name, bool exportSmt2, const Budget& budget);
[[nodiscard]] Answer byZ3(const Map& pairs, const std::string& name, bool exportSmt2, const Budget& budget);
// Coverage, one question per place; unknown if more than `most` are needed and none of the likely places is a hole.
[[nodiscard]] Answer byZ3Cover(const Map& map, i64 most, const std::string& name, bool exportSmt2,
                               const Budget& budget);

}  // namespace tessera::prover
