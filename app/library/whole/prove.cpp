#include "app/engine/engine.h"
#include "app/engine/measure/run_results.h"
#include "app/library/whole/inside.h"

namespace tessera::api {
namespace {

constexpr std::string_view kProve = "prove ";

Result<Verdict> proved(const std::string& claim, const Layout& layout, const Options& options) {
  return prove(claim, {{"L", layout}}, options);
}

// Moves a position in "prove CLAIM" to CLAIM.
Diag inClaim(Diag diag) {
  const auto after = [](std::size_t at) { return at < kProve.size() ? 0 : at - kProve.size(); };
  diag.span = {after(diag.span.begin), after(diag.span.end)};
  return diag;
}

}  // namespace

Truth publicTruth(tessera::Truth truth) {
  return truth == tessera::Truth::Proved    ? Truth::Proved
         : truth == tessera::Truth::Refuted ? Truth::Refuted
                                            : Truth::Unknown;
}

Verdict verdictOf(const tessera::Verdict& verdict) {
  Verdict out{publicTruth(verdict.truth), verdict.claim, verdict.method, verdict.detail, verdict.milliseconds, {}};
  if (!verdict.counterexample) return out;
  Counterexample& why = out.counterexample.emplace();
  why.text = verdict.counterexample->text;
  for (const tessera::Witness& w : verdict.counterexample->witnesses) why.witnesses.push_back({w.name, w.values});
  return out;
}

std::string Verdict::text() const {
  tessera::Verdict own;
  own.truth = proved() ? tessera::Truth::Proved : refuted() ? tessera::Truth::Refuted : tessera::Truth::Unknown;
  own.claim = claim;
  own.method = method;
  own.detail = reason;
  own.milliseconds = milliseconds;
  if (counterexample) {
    own.counterexample.emplace();
    own.counterexample->text = counterexample->text;
  }
  return textOf(own);
}

EngineOptions engineOptions(const Options& options, EngineOptions::Figures figures) {
  EngineOptions engine;
  engine.prove.budgetSeconds = options.seconds;
  engine.prove.cancel = Access::flagOf(options);
  engine.figures = figures;
  // An empty store of results: a run statement uses the emulator, and no process is started for the device.
  engine.run.results = std::make_shared<RunResults>();
  return engine;
}

bool haveSolver() noexcept { return haveZ3(); }

Result<Verdict> prove(std::string_view claim, const Names& names, const Options& options) {
  return guarded<Verdict>(options, claim, [&]() -> tessera::Result<Verdict> {
    Scope scope = scopeOf(names);
    const std::vector<Statement> statements = splitStatements(std::string(kProve) + std::string(claim));
    if (statements.size() != 1) return Diag{"this is more than one claim", "injective(L)", "", {0, claim.size()}};
    if (const auto& wrong = statements.front().diag) return inClaim(*wrong);
    const Outcome outcome =
        runStatement(statements.front(), scope, engineOptions(options, EngineOptions::Figures::None));
    if (outcome.diag) return inClaim(*outcome.diag);
    if (!outcome.verdict) return Diag{"this is not a claim", "injective(L)", "", {0, claim.size()}};
    return verdictOf(*outcome.verdict);
  });
}

Result<Verdict> injective(const Layout& layout, const Options& options) {
  return proved("injective(L)", layout, options);
}
Result<Verdict> bijective(const Layout& layout, const Options& options) {
  return proved("bijective(L)", layout, options);
}
Result<Verdict> equal(const Layout& a, const Layout& b, const Options& options) {
  return prove("equal(A, B)", {{"A", a}, {"B", b}}, options);
}
Result<Verdict> conflictFree(const Layout& layout, std::string_view access, std::string_view type,
                             const Options& options) {
  return proved("conflict_free(L, " + std::string(access) + ", " + std::string(type) + ")", layout, options);
}

}  // namespace tessera::api
