#include "app/engine/engine.h"

#include "app/engine/answers.h"
#include "app/engine/measure/run_pictures.h"
#include "app/engine/measure/run_program.h"
#include "app/engine/program/program_pictures.h"
#include "core/base/work_budget.h"

namespace tessera {

bool Outcome::holds() const {
  if (diag || pending || (ran && !ran->right())) return false;
  return !verdict || verdict->truth == Truth::Proved || statement.kind == StatementKind::Expression ||
         statement.kind == StatementKind::Bind;
}

Result<Figure> drawOutcome(const Outcome& outcome, std::string_view view, DrawOptions options) {
  if (outcome.diag) {
    if (outcome.operation) return drawOperation(*outcome.operation, nullptr, &*outcome.diag, options);
    return *outcome.diag;
  }
  if (outcome.ran) return drawRun(*outcome.ran, view, options);
  if (auto program = drawProgram(outcome, view, options)) return *std::move(program);
  if (outcome.verdict && (view.empty() || view == "verdict")) {
    return outcome.claim ? drawConflict(*outcome.verdict, *outcome.claim, options)
                         : drawVerdict(*outcome.verdict, options);
  }
  const Value* value = outcome.show ? outcome.show->value.get() : outcome.value.get();
  if (value == nullptr) return Diag{"this statement has nothing to draw", "a value or a claim"};
  if (view != "algebra") return draw(*value, view, options);
  if (outcome.operation) return drawOperation(*outcome.operation, value, nullptr, options);
  return Diag{"the algebra view shows an operation beside its inputs; this value is no result of one",
              "composition(A, B), coalesce(A), logical_divide(A, B) ... or a name bound to one", "as grid"};
}

Outcome runStatement(const Statement& statement, Scope& scope, const EngineOptions& options) {
  const WorkBudget both({.seconds = budgetFor(statement, options), .cancel = options.prove.cancel});
  Started started = startStatement(statement, scope, options);
  if (started.complete()) return std::move(started.outcome);
  Outcome outcome = answered(std::move(started), options, JobContext{options.prove.cancel});
  bindAnswer(outcome, scope);
  return outcome;
}

}  // namespace tessera
