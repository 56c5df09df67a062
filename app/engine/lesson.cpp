#include "app/engine/lesson.h"

#include <algorithm>

#include "core/worksheet/statements/task.h"

namespace tessera {
namespace {

// Runs what the k-th task needs, and the task.
Outcome taskIn(const std::string& document, std::size_t k, const EngineOptions& options) {
  Scope scope;
  for (const Statement& s : splitStatements(document)) {
    if (s.kind == StatementKind::Bind || s.kind == StatementKind::Block) (void)runStatement(s, scope, options);
    if (s.kind == StatementKind::Task && k-- == 0) return runStatement(s, scope, options);
  }
  return {};
}

TaskTrial trial(TaskTrial::Of of, std::string edit, bool expected, const Result<std::string>& document, std::size_t k,
                const EngineOptions& options) {
  TaskTrial t{of, std::move(edit), expected, false, ""};
  if (!document) {
    t.why = document.error().message;
    t.solved = !expected;  // it is a fault of the lesson in any case
    return t;
  }
  const Outcome outcome = taskIn(*document, k, options);
  t.solved = outcome.solved();
  t.why = outcome.diag ? outcome.diag->message : textOf(outcome);
  return t;
}

}  // namespace

bool TriedTask::asExpected() const {
  const auto has = [&](TaskTrial::Of of) {
    return std::ranges::any_of(trials, [of](const TaskTrial& t) { return t.of == of; });
  };
  return has(TaskTrial::Of::Answer) && has(TaskTrial::Of::Wrong) &&
         std::ranges::all_of(trials, [](const TaskTrial& t) { return t.asExpected(); });
}

std::vector<TriedTask> triedTasks(const std::string& document, const EngineOptions& options) {
  std::vector<TriedTask> tried;
  std::string done = document;  // with the answers of the tasks so far
  std::size_t k = 0;
  for (const Statement& s : splitStatements(document)) {
    if (s.kind != StatementKind::Task) continue;
    const auto task = readTask(s.text);
    if (!task) {
      ++k;
      continue;
    }
    TriedTask t{s.line, task->title, {}};
    t.trials.push_back(trial(TaskTrial::Of::Shipped, "", task->shippedSolved, done, k, options));
    for (const TaskAnswer& answer : task->answers)
      t.trials.push_back(trial(TaskTrial::Of::Answer, print(answer), true, withAnswer(done, k, answer), k, options));
    for (const TaskAnswer& answer : task->wrong)
      t.trials.push_back(trial(TaskTrial::Of::Wrong, print(answer), false, withAnswer(done, k, answer), k, options));
    if (!task->answers.empty())
      if (auto next = withAnswer(done, k, task->answers.front())) done = *std::move(next);
    tried.push_back(std::move(t));
    ++k;
  }
  return tried;
}

Result<std::string> withAllAnswers(std::string document) {
  std::size_t k = 0;
  for (const Statement& s : splitStatements(document)) {
    if (s.kind != StatementKind::Task) continue;
    const auto task = readTask(s.text);
    if (task && !task->answers.empty()) {
      auto next = withAnswer(std::move(document), k, task->answers.front());
      if (!next) {
        Diag diag = next.error();
        diag.span = s.span;
        return diag;
      }
      document = *std::move(next);
    }
    ++k;
  }
  return document;
}

}  // namespace tessera
