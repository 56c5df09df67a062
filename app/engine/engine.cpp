#include "app/engine/engine.h"

#include <fmt/format.h>

#include "app/engine/answers.h"
#include "app/engine/measure/run_pictures.h"
#include "app/engine/program/program_pictures.h"
#include "core/base/chars.h"
#include "core/base/work_budget.h"
#include "core/worksheet/statements/task.h"
#include "render/ink/ink.h"

namespace tessera {

bool Outcome::holds() const {
  if (diag || pending || (ran && !ran->right()) || (learner.task && !verdict)) return false;
  return !verdict || verdict->truth == Truth::Proved || statement.kind == StatementKind::Expression ||
         statement.kind == StatementKind::Bind;
}

bool drawnBare(const Outcome& outcome) {
  if (outcome.statement.kind != StatementKind::Expression || outcome.diag || outcome.verdict || !outcome.value)
    return false;
  const Value& value = *outcome.value;
  if (std::holds_alternative<cute::IntTuple>(value) && outcome.statement.text != print(value)) return false;
  const auto able = viewsFor(value);
  return !able.empty() && able.front() != "value" && !is<i64>(value) && !is<bool>(value);
}

std::string titleOf(const Outcome& outcome) {
  if (outcome.show) return outcome.show->name;
  return outcome.statement.kind == StatementKind::Expression ? outcome.statement.text : outcome.statement.name;
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
  return Diag{"the algebra view shows an operation beside its inputs; this value is not the result of one",
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

Result<NamedValue> lastValue(const std::vector<Statement>& statements, const std::atomic<bool>* cancel,
                             const Diag& missing) {
  Scope scope;
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;
  options.prove.cancel = cancel;
  std::optional<NamedValue> last;
  for (const Statement& s : statements) {
    const Outcome outcome = runStatement(s, scope, options);
    if (outcome.diag) return *outcome.diag;
    if (outcome.value) last = {outcome.value, s.kind == StatementKind::Bind ? s.name : "", s.span};
  }
  return last ? Result<NamedValue>(*std::move(last)) : missing;
}

std::string printLimited(const Value& value) {
  std::string text = print(value);
  if (text.size() > kMaxPrintedBytes) {
    const std::size_t total = text.size();
    const std::size_t cut = codePointStart(text, kMaxPrintedBytes);
    text.resize(cut);
    text += fmt::format(" ... ({} of {} bytes shown)", cut, total);
  }
  return text;
}

std::string textOf(const Verdict& verdict) {
  std::string out = fmt::format("{:<8} {}", name(verdict.truth), verdict.claim);
  out += fmt::format("   [{}, {:.2f} ms]", verdict.method.empty() ? "no method" : verdict.method, verdict.milliseconds);
  if (verdict.truth == Truth::Refuted && verdict.counterexample) {
    out += "\n         " + verdict.counterexample->text;
  } else if (!verdict.detail.empty()) {
    out += "\n         " + verdict.detail;
  }
  return out;
}

std::string blankText(const Outcome& outcome) {
  return outcome.learner.blank.empty() ? ""
         : outcome.statement.kind == StatementKind::Bind && outcome.statement.name == outcome.learner.blank
             ? "not filled in yet"
             : fmt::format("waits for {}, which is not filled in yet", outcome.learner.blank);
}

std::string taskText(const Outcome& outcome) {
  const std::string head =
      fmt::format("{:<8} {}", outcome.solved() ? "solved" : "not yet", outcome.learner.task->title);
  if (outcome.solved() || !outcome.verdict) return head;
  const Verdict& v = *outcome.verdict;
  const std::string& why = v.counterexample && v.truth == Truth::Refuted ? v.counterexample->text : v.detail;
  return why.empty() ? head : head + "\n         " + why;
}

std::string textOf(const Outcome& outcome) {
  if (outcome.learner.task && !outcome.diag) return taskText(outcome);
  if (outcome.verdict) return textOf(*outcome.verdict);
  if (outcome.ran) return textOf(outcome.ran->table);
  if (outcome.figure && outcome.statement.kind != StatementKind::Find) {  // what was found is text
    if (auto text = ink(*outcome.figure, "txt")) return *std::move(text);
  }
  if (outcome.show) return printLimited(*outcome.show->value);
  if (!outcome.learner.blank.empty()) {
    const std::string name = outcome.statement.name.empty() ? "" : outcome.statement.name + ": ";
    return name + blankText(outcome);
  }
  if (!outcome.value) return "";
  std::string text = printLimited(*outcome.value);
  if (outcome.statement.kind == StatementKind::Bind) text = outcome.statement.name + " = " + text;
  return text;
}

}  // namespace tessera
