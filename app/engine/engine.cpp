#include "app/engine/engine.h"

#include <exception>

#include "solver/prove/synthesize_swizzle.h"

namespace tessera {
namespace {

// not CLAIM: what refutes the claim is the witness of its negation.
Verdict negate(Verdict verdict, const std::string& text) {
  verdict.claim = text;
  if (verdict.truth == Truth::Refuted) {
    verdict.truth = Truth::Proved;
    verdict.detail = "the witness: " + (verdict.counterexample ? verdict.counterexample->text : verdict.detail);
  } else if (verdict.truth == Truth::Proved) {
    verdict.truth = Truth::Refuted;
    Counterexample why;
    why.text = "the claim itself holds" + (verdict.detail.empty() ? "" : ": " + verdict.detail);
    verdict.counterexample = std::move(why);
  }
  return verdict;
}

void answer(Outcome& outcome, bool negated, const EngineOptions& options) {
  const std::string text = outcome.claim->text;
  Verdict verdict = prove(*outcome.claim, options.prove);
  verdict.claim = text;
  if (negated) verdict = negate(std::move(verdict), text);
  if (outcome.statement.kind != StatementKind::Prove && outcome.statement.kind != StatementKind::Assert) {
    outcome.value = verdict;
  }
  outcome.verdict = std::move(verdict);
}

// find swizzle ... by z3
void find(Outcome& outcome, const FindRequest& request, const EngineOptions& options) {
  Result<LinearSwizzle> found = synthesizeSwizzle(request, options.prove);
  if (!found) {
    outcome.diag = found.error();
    outcome.diag->span = outcome.statement.span;
    return;
  }
  outcome.value = SwizzleFinding{request.layout, request.elementBits, request.specs, {}, *std::move(found)};
}

// A show fails when it cannot be drawn; the pictures of refusals and refutations are an extra.
void drawFigure(Outcome& outcome) {
  DrawOptions options;
  std::string view;
  if (outcome.show) {
    options.name = outcome.show->name;
    options.arguments = outcome.show->arguments;
    view = outcome.show->view;
  } else if (outcome.statement.kind == StatementKind::Find && !outcome.diag) {
    view = "search";
  } else if (outcome.diag ? !outcome.operation.has_value()
                          : !outcome.verdict || (outcome.statement.kind != StatementKind::Show &&
                                                 outcome.verdict->truth != Truth::Refuted)) {
    return;
  }
  Result<Figure> figure = drawOutcome(outcome, view, options);
  if (figure) {
    outcome.figure = *std::move(figure);
  } else if (outcome.show) {
    outcome.diag = figure.error();
    outcome.diag->span = outcome.statement.span;
  }
}

}  // namespace

bool Outcome::holds() const {
  if (diag || pending) return false;
  return !verdict || verdict->truth == Truth::Proved || statement.kind == StatementKind::Expression ||
         statement.kind == StatementKind::Bind;
}

Result<Figure> drawOutcome(const Outcome& outcome, std::string_view view, DrawOptions options) {
  options.operation = outcome.operation;
  if (outcome.diag) {
    if (outcome.operation) return drawOperation(*outcome.operation, nullptr, &*outcome.diag, options);
    return *outcome.diag;
  }
  if (outcome.verdict && (view.empty() || view == "verdict")) {
    return outcome.claim ? drawConflict(*outcome.verdict, *outcome.claim, options)
                         : drawVerdict(*outcome.verdict, {}, options);
  }
  const Value* value = outcome.show ? &outcome.show->value : outcome.value ? &*outcome.value : nullptr;
  if (value == nullptr) return Diag{"this statement has nothing to draw", "a value or a claim", "", {}};
  if (view != "algebra") return draw(*value, view, options);
  if (outcome.operation) return drawOperation(*outcome.operation, value, nullptr, options);
  return Diag{"the algebra view shows an operation beside its inputs; this value is no result of one",
              "composition(A, B), coalesce(A), logical_divide(A, B) ... or a name bound to one",
              "as grid",
              {}};
}

Outcome runStatement(const Statement& statement, Scope& scope, const EngineOptions& options) {
  Outcome outcome;
  outcome.statement = statement;
  try {
    Evaluated evaluated = evaluate(statement, scope);
    outcome.value = std::move(evaluated.value);
    outcome.operation = std::move(evaluated.operation);
    outcome.show = std::move(evaluated.show);
    outcome.claim = std::move(evaluated.claim);
    outcome.diag = std::move(evaluated.diag);
    outcome.notes = std::move(evaluated.notes);
    if (!outcome.diag && evaluated.find) find(outcome, *evaluated.find, options);
    if (!outcome.diag && outcome.claim) {
      answer(outcome, evaluated.negated, options);
      if (statement.kind == StatementKind::Bind) scope.bind(statement.name, *outcome.value);
    }
    if (options.drawFigures) drawFigure(outcome);
  } catch (const std::bad_alloc&) {
    outcome.diag = Diag{"there is not enough memory for this statement", "", "use smaller extents", statement.span};
  } catch (const std::exception& error) {
    // Nothing in the layers below throws on purpose; whatever a library throws still must not end the worksheet.
    outcome.diag =
        Diag{std::string("internal error: ") + error.what(), "", "please report this statement", statement.span};
  }
  return outcome;
}

std::vector<Outcome> runDocument(std::string_view document, const EngineOptions& options,
                                 const std::function<void(const Outcome&)>& each) {
  Scope scope;
  std::vector<Outcome> outcomes;
  for (const Statement& statement : splitStatements(document)) {
    if (options.prove.cancel != nullptr && options.prove.cancel->load()) break;
    outcomes.push_back(runStatement(statement, scope, options));
    if (each) each(outcomes.back());
  }
  return outcomes;
}

}  // namespace tessera
