// Rungs: the methods that decide an obligation, asked in order of their cost. Which of them a claim allows, how far
// enumeration may go, how much of the budget Z3 gets, and how answers become verdicts.
//
//     Rungs rungs(claim, options);
//     Answer a = rungs.pointwise(boundsObligation(map), "in_bounds");
//     return verdictOf(a, a.truth == Truth::Refuted ? replayBounds(map, a) : std::nullopt);
//
// Law: with Claim::method set exactly that rung is asked; with Auto the first that knows answers. A refutation without
// a replayed counterexample is Unknown.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/claim/claim.h"
#include "solver/prove/obligation.h"
#include "solver/prove/prove.h"
#include "solver/prove/reduce.h"

namespace tessera::prover {

class Rungs {
 public:
  using Rung = std::function<Answer()>;
  using Export = std::vector<std::pair<std::string, std::string>>;

  Rungs(const Claim& claim, const ProveOptions& options)
      : method_(claim.method), options_(options), budget_(workOf(options.budgetSeconds), options.cancel) {}

  [[nodiscard]] bool forced(Method m) const { return method_ == m; }
  [[nodiscard]] bool allowed(Method m) const { return method_ == Method::Auto || method_ == m; }
  // Points that enumeration may visit before the solvers are asked.
  [[nodiscard]] i64 limit() const;
  [[nodiscard]] const Budget& budget() const { return budget_; }
  [[nodiscard]] bool exports() const { return options_.exportSmt2; }
  // The rung that was asked last.
  [[nodiscard]] std::optional<Method> lastAsked() const { return lastAsked_; }
  [[nodiscard]] Export takeSmt2() { return std::move(smt2_); }

  // Asks the rungs in order; the first that knows answers. The reasons of the last two that were tried make the
  // unknown. When none knew, `enumerate` is asked once more with a larger limit.
  Answer climb(const std::vector<std::pair<Method, Rung>>& rungs, const std::vector<Digit>& digits,
               const std::function<Answer(i64)>& enumerate);
  // All rungs for one pointwise obligation.
  Answer pointwise(const Pointwise& p, const std::string& what);
  // The same whatever the claim's method: for what must hold before the claim means anything.
  Answer byAny(const Pointwise& p, const std::string& what);
  // Z3 on a Pointwise or a Map, within its share of the budget; `digits` say how many points enumeration would visit.
  template <typename Obligation>
  Answer solver(const Obligation& o, const std::string& what, const std::vector<Digit>& digits) {
    return byZ3(o, what, options_.exportSmt2, solverBudget(digits));
  }
  // Z3 on each place; a claim that asks for Z3 may ask for as many as its time allows.
  Answer placeByPlace(const Map& map, const std::string& what);

 private:
  [[nodiscard]] Budget solverBudget(const std::vector<Digit>& digits) const;

  Method method_;
  const ProveOptions& options_;
  Budget budget_;
  std::optional<Method> lastAsked_;
  Export smt2_;
};

[[nodiscard]] Verdict verdictOf(const Answer& answer, std::optional<Counterexample> replayed);
[[nodiscard]] Verdict unknownVerdict(std::string reason);

}  // namespace tessera::prover
