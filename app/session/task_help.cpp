#include "app/session/task_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "app/engine/evaluation.h"
#include "app/session/gallery.h"
#include "app/session/preferences.h"
#include "core/worksheet/statements/task.h"

namespace tessera {
namespace {

std::optional<Task> taskOf(const Outcome& outcome) {
  if (outcome.learner.task) return *outcome.learner.task;
  if (outcome.statement.kind != StatementKind::Task || outcome.diag) return std::nullopt;
  auto task = readTask(outcome.statement.text);  // pending
  return task ? std::optional(*std::move(task)) : std::nullopt;
}

// The counterexample, then the hints, then the answer.
std::size_t helpsOf(const Task& task) { return 1 + task.hints.size() + (task.answers.empty() ? 0 : 1); }

std::string whyOf(const Outcome& outcome) {
  if (!outcome.verdict) return "";
  const Verdict& v = *outcome.verdict;
  return v.truth == Truth::Refuted && v.counterexample ? v.counterexample->text : v.detail;
}

}  // namespace

// With what the lesson keeps, if the statement keeps nothing.
Task TaskHelp::withKept(Task task) const {
  if (!task.hints.empty() || !task.answers.empty()) return task;
  const Task* from = nullptr;
  if (const auto own = lesson_.find(task.title); own != lesson_.end()) from = &own->second;
  if (const auto kept = keptTasks().find(task.title); from == nullptr && kept != keptTasks().end())
    from = &kept->second;
  if (from == nullptr) return task;
  task.hints = from->hints;
  task.answers = from->answers;
  return task;
}

std::vector<std::string> TaskHelp::look(const std::shared_ptr<const Snapshot>& now) {
  std::vector<std::string> fresh;
  if (now == seen_) return fresh;
  seen_ = now;
  for (const auto& o : now->outcomes) {
    if (!o->learner.task) continue;
    why_[o->learner.task->title] = whyOf(*o);
    const auto kept = o->solved() ? keptTasks().find(o->learner.task->title) : keptTasks().end();
    if (kept == keptTasks().end() || kept->second.claim != o->learner.task->claim || kept->second.shippedSolved)
      continue;
    if (noteSolved(o->learner.task->title)) fresh.push_back(o->learner.task->title);
  }
  return fresh;
}

TaskCard TaskHelp::card(const Outcome& outcome) const {
  TaskCard card;
  const auto read = taskOf(outcome);
  if (!read) return card;
  card.pending = outcome.pending;
  card.solved = outcome.solved();
  if (card.solved) {
    card.text = "Solved.";
    return card;
  }
  const Task task = withKept(*read);
  const auto asked = asked_.find(task.title);
  const std::size_t helps = helpsOf(task), shown = asked == asked_.end() ? 0 : std::min(asked->second, helps);
  card.text = "Not yet.";
  if (shown > 0) {
    const auto why = why_.find(task.title);
    const std::string reason = outcome.pending && why != why_.end() ? why->second : whyOf(outcome);
    if (!reason.empty()) card.text += " " + reason;
  }
  for (std::size_t k = 0; k < task.hints.size() && k + 1 < shown; ++k) card.text += "\nHint: " + task.hints[k];
  const bool answered = !task.answers.empty() && shown == helps;
  if (answered) card.text += "\nAnswer: " + print(task.answers.front());
  const bool answerNext = !task.answers.empty() && shown + 1 == helps;
  if (answered || shown < helps)
    card.buttons.emplace_back(answered     ? "put it in"
                              : answerNext ? "show the answer"
                              : shown > 0  ? "another hint"
                                           : "hint");
  return card;
}

bool TaskHelp::shows(const Outcome& outcome) const {
  if (outcome.statement.kind != StatementKind::Task) return true;
  const auto task = taskOf(outcome);
  return !task || asked_.count(task->title) > 0;
}

Result<void> TaskHelp::press(const Outcome& outcome, Document& document) {
  const auto read = taskOf(outcome);
  if (!read) return {};
  const Task task = withKept(*read);
  std::size_t& asked = asked_[task.title];
  ++revision_;
  if (asked < helpsOf(task)) {
    ++asked;
    return {};
  }
  if (task.answers.empty()) return {};
  for (const TaskEdit& edit : task.answers.front()) {
    const std::vector<Statement> statements = splitStatements(document.text());
    std::size_t k = 0;
    while (k < statements.size() && statements[k].text != outcome.statement.text) ++k;
    TESSERA_TRY(const TextEdit place, placeOf(edit, document.text(), statements, k));
    if (!document.replace(place.span.begin, place.span.end, place.text)) return document.tooLarge(place.text.size());
  }
  return {};
}

void TaskHelp::keep(std::string lesson) {
  lesson_.clear();
  for (const Task& task : tasksIn(lesson)) lesson_.insert_or_assign(task.title, task);
  lessonText_ = std::move(lesson);
}

void TaskHelp::forget() {
  lessonText_.clear();
  lesson_.clear();
  asked_.clear();
  why_.clear();
  ++revision_;
}

namespace {

namespace fs = std::filesystem;

// Beside TESSERA_STATE, or in the folder of the session's state.
fs::path progressFile() {
  if (const char* given = std::getenv("TESSERA_STATE")) return std::string(given) + ".solved";
  return fs::path(stateFile()).replace_filename("solved");
}

std::set<std::string> readProgress() {
  std::set<std::string> titles;
  const auto text = readFile(progressFile().string(), 1 << 20);
  if (!text.ok()) return titles;
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) titles.insert(line);
  return titles;
}

std::set<std::string>& progress() {
  static std::set<std::string> titles = readProgress();
  return titles;
}

}  // namespace

const std::set<std::string>& solvedTasks() { return progress(); }

std::size_t solvedOf(const std::vector<std::string>& titles) {
  return static_cast<std::size_t>(std::ranges::count_if(titles, [](const auto& t) { return progress().count(t) > 0; }));
}

bool noteSolved(const std::string& title) {
  if (title.find('\n') != std::string::npos || !progress().insert(title).second) return false;
  for (const std::string& other : readProgress()) progress().insert(other);  // of another window
  std::string text;
  for (const std::string& each : progress()) text += each + "\n";
  std::error_code failed;
  fs::create_directories(progressFile().parent_path(), failed);
  // A failure to store the progress is not reported.
  (void)writeFileAtomically(progressFile().string(), text);
  return true;
}

}  // namespace tessera
