// Rungs: the methods that decide an obligation, tried in order of cost. It selects the methods that a claim allows,
// limits enumeration, assigns Z3 its share of the budget, and turns answers into verdicts.
//
//     Rungs rungs(claim, options);
//     Answer a = rungs.pointwise(boundsObligation(map), "in_bounds");
//     return verdictOf(a, a.truth == Truth::Refuted ? replayBounds(map, a) : std::nullopt);
//
// Law: with Claim::method set exactly that rung runs; with Auto, the first that decides. A refutation without a
// replayed counterexample becomes Unknown.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/claim/claim.h"
#include "solver/prove/obligation.h"
#include "solver/prove/prove.h"
#include "solver/prove/structure/reduce.h"

namespace tessera::prover {

class Rungs {
 public:
  using Rung = std::function<Answer()>;
  using Export = std::vector<std::pair<std::string, std::string>>;

  Rungs(const Claim& claim, const ProveOptions& options)
      : method_(claim.method), options_(options), budget_(workOf(options.budgetSeconds), options.cancel) {}

  [[nodiscard]] bool forced(Method m) const { return method_ == m; }
  [[nodiscard]] bool allowed(Method m) const { return method_ == Method::Auto || method_ == m; }
  // Number of points that may be enumerated before the solvers run.
  [[nodiscard]] i64 limit() const;
  [[nodiscard]] const Budget& budget() const { return budget_; }
  // The rung that ran last.
  [[nodiscard]] std::optional<Method> lastAsked() const { return lastAsked_; }
  [[nodiscard]] Export takeSmt2() { return std::move(smt2_); }

  // Runs the rungs in order until one decides. If none does, runs `enumerate` with a larger limit. An unknown gives the
  // reasons of the last two rungs tried.
  Answer climb(const std::vector<std::pair<Method, Rung>>& rungs, const std::vector<Digit>& digits,
               const std::function<Answer(i64)>& enumerate);
  // All rungs for one pointwise obligation.
  Answer pointwise(const Pointwise& p, const std::string& what);
  // The same, ignoring the claim's method: for the preconditions of a claim.
  Answer byAny(const Pointwise& p, const std::string& what);
  // Z3 on a Pointwise or a Map, within its share of the budget; `digits` determine the number of points to enumerate.
  template <typename Obligation>
  Answer solver(const Obligation& o, const std::string& what, const std::vector<Digit>& digits) {
    return byZ3(o, what, options_.exportSmt2, solverBudget(digits));
  }
  // Z3 on each place; if the claim requests Z3, on as many as time allows.
  Answer placeByPlace(const Map& map, const std::string& what);

 private:
  // Keeps the texts of a claim's questions, up to kMostTexts bytes.
  void keep(Export texts);
  [[nodiscard]] Budget solverBudget(const std::vector<Digit>& digits) const;

  Method method_;
  const ProveOptions& options_;
  Budget budget_;
  std::optional<Method> lastAsked_;
  Export smt2_;
  std::size_t textBytes_ = 0;
};

// The first proof by a rung without enumeration or Z3 (of all such rungs, or of one method); otherwise the last answer.
[[nodiscard]] Answer structural(const Pointwise& p, Method method = Method::Auto);
[[nodiscard]] Verdict verdictOf(const Answer& answer, std::optional<Counterexample> replayed);
[[nodiscard]] Verdict unknownVerdict(std::string reason);

}  // namespace tessera::prover
