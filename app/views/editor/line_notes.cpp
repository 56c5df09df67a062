#include "app/views/editor/line_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "app/engine/help/line_value.h"
#include "app/engine/measure/comparison_json.h"
#include "app/engine/measure/run_pictures.h"
#include "app/engine/measure/run_program.h"
#include "app/views/editor/editor.h"
#include "core/base/chars.h"
#include "core/base/nearest.h"
#include "core/graphene/program.h"
#include "core/worksheet/programs/run_statement.h"
#include "core/worksheet/value.h"

namespace tessera::panes {
namespace {

std::string cut(std::string s, std::size_t n) {
  return s.size() <= n ? s : s.substr(0, codePointStart(s, n)) + "\u2026";
}

constexpr std::size_t kMostCard = 600;
constexpr std::size_t kMostValue = 20'000;

void addProblem(LineNote& n, const Outcome& o) {
  n.sign = ui::Sign::Problem;
  n.card = o.diag->message;
  if (!o.diag->expected.empty()) n.card += ". Expected: " + o.diag->expected;
  if (!o.diag->hint.empty()) n.card += ". " + o.diag->hint;
  n.underline = o.diag->span.empty() ? o.statement.span : o.diag->span;
}

void addVerdict(LineNote& n, const Verdict& verdict) {
  n.sign = signOf(verdict.truth);
  if (verdict.truth == Truth::Refuted && verdict.counterexample) n.card = verdict.counterexample->text;
  if (verdict.truth == Truth::Unknown) {
    n.card = "unknown: " + verdict.detail;
    n.cardRole = Role::Unknown;
  }
}

// The result of a run.
void addRun(LineNote& n, const RanProgram& ran) {
  const measure::ComparisonRow* const kernel = ran.kernel();
  if (kernel == nullptr) return;
  using measure::Answer;
  n.sign = kernel->answer == Answer::Wrong                 ? ui::Sign::Refuted
           : kernel->answer == Answer::Right && !ran.stale ? ui::Sign::Proved
                                                           : ui::Sign::Unknown;
  if (kernel->answer != Answer::Right) n.card = kernel->why;
  if (kernel->answer == Answer::NotCompared) n.cardRole = Role::Unknown;
  if (ran.stale && n.card.empty()) {
    n.card = "the program has changed since this run; run it again";
    n.cardRole = Role::Unknown;
  }
}

LineNote noteOf(const Outcome& o) {
  const StatementKind kind = o.statement.kind;
  LineNote n;
  if (o.learner.task && !o.diag) return n;  // its card depends on the help asked for: addTaskCards
  if (o.pending && (o.job || kind == StatementKind::Prove || kind == StatementKind::Assert)) n.sign = ui::Sign::Pending;
  if (o.diag) {
    addProblem(n, o);
  } else if (o.verdict) {
    addVerdict(n, *o.verdict);
  } else if (o.ran) {
    addRun(n, *o.ran);
  } else if (kind == StatementKind::Assert && o.value) {
    n.sign = ui::Sign::Proved;
  }
  const std::string value = lineValue(o);
  n.value = o.value && is<Text>(*o.value) ? cut(value, kMostValue) : shortened(value, kMostValue);
  if (n.card.empty() && !o.learner.blank.empty()) {
    n.card = blankText(o);
    n.cardRole = Role::Muted;
    n.sign.reset();
  }
  if (n.card.empty() && !o.notes.empty()) {  // defaults that were used, and how to change them
    n.card = o.notes.front().message;
    if (!o.notes.front().hint.empty()) n.card += "; " + o.notes.front().hint;
    n.cardRole = Role::Muted;
  }
  n.card = shortened(n.card, kMostCard);
  return n;
}

// A statement's first line; for a block the line with its error.
int lineOf(const Outcome& o) {
  const Statement& s = o.statement;
  if (s.kind != StatementKind::Block || (!o.diag && o.notes.empty())) return s.line;
  const std::size_t at = o.diag ? o.diag->span.begin : o.notes.front().span.begin;
  if (at < s.span.begin || at - s.span.begin > s.text.size()) return s.line;
  return s.line + lineColumn(s.text, at - s.span.begin).line - 1;
}

}  // namespace

std::string shortened(std::string s, std::size_t n) {
  std::ranges::replace(s, '\n', ' ');
  return cut(std::move(s), n);
}

std::map<int, LineNote> notesOf(const Snapshot& snapshot, NoteCache& cache) {
  std::map<int, LineNote> notes;
  NoteCache now;
  for (const auto& o : snapshot.outcomes) {
    const auto known = cache.find(o);
    const LineNote& n = now.emplace(o, known != cache.end() ? std::move(known->second) : noteOf(*o)).first->second;
    if (n.sign || !n.value.empty() || !n.card.empty()) notes[lineOf(*o)] = n;
  }
  cache = std::move(now);
  return notes;
}

void addTaskCards(const Snapshot& snapshot, const TaskHelp& help, std::map<int, LineNote>& notes) {
  for (const auto& o : snapshot.outcomes) {
    if (o->statement.kind != StatementKind::Task || o->diag) continue;
    TaskCard card = help.card(*o);
    if (card.text.empty()) continue;
    LineNote& n = notes[o->statement.line];
    n.sign = card.pending ? ui::Sign::Pending : card.solved ? ui::Sign::Proved : ui::Sign::Unknown;
    n.card = std::move(card.text);
    n.cardRole = card.solved ? Role::Proved : Role::Unknown;
    n.buttons = std::move(card.buttons);
  }
}

std::map<int, LineNote> carriedOver(std::map<int, LineNote> notes, const Snapshot& snapshot, std::string_view text) {
  const std::string_view old = snapshot.text;
  const auto [front, back] = commonEnds(old, text);
  const auto lines = [](std::string_view s) { return static_cast<i64>(std::ranges::count(s, '\n')); };
  const i64 moved =
      lines(text.substr(front, text.size() - back - front)) - lines(old.substr(front, old.size() - back - front));
  std::map<int, LineNote> out;
  for (const auto& o : snapshot.outcomes) {
    const auto found = notes.find(lineOf(*o));
    if (found == notes.end()) continue;
    LineNote n = std::move(found->second);
    const bool before = o->statement.span.end < front, after = o->statement.span.begin >= old.size() - back;
    if (after) n.underline = n.underline.shifted(text.size() - old.size());
    if (!before && !after) {
      n.value.clear();
      n.underline = {};
    }
    // Statements on one line share its note, which the first one moved.
    const int line = after ? static_cast<int>(lineOf(*o) + moved) : lineOf(*o);
    out[line] = std::move(n);
    notes.erase(found);
  }
  return out;
}

namespace {

using ui::px;

// The kernels of a program: its outermost specifications.
std::vector<const graphene::Statement*> kernelsOf(const graphene::Listing& listing) {
  std::vector<const graphene::Statement*> out;
  for (const graphene::Statement& s : listing.program->specs)
    if (const auto* spec = std::get_if<graphene::Spec>(&s.what); spec != nullptr && !spec->outputs.empty())
      out.push_back(&s);
  return out;
}

// The program that an outcome defines, shows or proves, and its name in the sheet.
const graphene::Listing* programOf(const Outcome& o, std::string& name) {
  if (o.diag) return nullptr;
  const graphene::Listing* found = o.program.listing ? &*o.program.listing : nullptr;
  if (found == nullptr && o.show) found = std::get_if<graphene::Listing>(o.show->value.get());
  if (found == nullptr && o.value) found = std::get_if<graphene::Listing>(&*o.value);
  if (found == nullptr) return nullptr;
  name = found->name;
  if (o.statement.kind == StatementKind::Bind) name = o.statement.name;
  return found;
}

// Whether "run gemm spec %C with M=8" covers "run gemm spec %C".
bool runsTheSame(const std::string& key, const std::string& wanted) {
  if (key == wanted) return true;
  if (!key.starts_with(wanted + " ")) return false;
  return wanted.find(" spec ") != std::string::npos || key.find(" spec ") == std::string::npos;
}

// The marks for an outcome: one per kernel, at its line. Without `atKernels`: at the statement's line, one for the
// whole program, then one per kernel if there are several.
std::vector<RunMark> marksOf(const Outcome& o, bool atKernels) {
  const Statement& s = o.statement;
  if (s.kind == StatementKind::Run) return {RunMark{s.line, s, s.text}};
  std::string name;
  const graphene::Listing* const listing = programOf(o, name);
  if (listing == nullptr) return {};
  const auto kernels = kernelsOf(*listing);
  std::vector<RunMark> out;
  if (!kernels.empty() && (!atKernels || kernels.size() == 1)) out.push_back({s.line, s, "run " + name});
  if (kernels.size() > 1)
    for (const graphene::Statement* kernel : kernels)
      out.push_back(
          {s.line, s,
           fmt::format("run {} spec %{}", name, std::get<graphene::Spec>(kernel->what).outputs.front().name)});
  for (std::size_t k = 0; atKernels && k < kernels.size(); ++k)
    out[k].line = s.line + lineColumn(s.text, kernels[k]->span.begin).line - 1;
  return out;
}

}  // namespace

std::vector<RunMark> runMarksOf(const Outcome& o) { return marksOf(o, /*atKernels=*/false); }

std::vector<RunMark> runMarksOf(const Snapshot& snapshot) {
  std::vector<RunMark> out;
  for (const auto& o : snapshot.outcomes) {
    if (o->statement.kind != StatementKind::Run && o->statement.kind != StatementKind::Block) continue;
    const std::vector<RunMark> marks = marksOf(*o, /*atKernels=*/true);
    out.insert(out.end(), marks.begin(), marks.end());
  }
  return out;
}

void takeRun(Session& session, const RunMark& mark) {
  const auto now = session.evaluation().snapshot();
  const std::string wanted = runKey(mark.statement);
  for (const auto& o : now->outcomes) {
    if (o->statement.kind != StatementKind::Run || !runsTheSame(runKey(o->statement.text), wanted)) continue;
    session.evaluation().run(o->statement.text);
    return;
  }
  if (!isThere(session.document(), mark.of)) return;
  session.evaluation().run(mark.statement);
  insertAfter(session, mark.of, mark.statement);
}

std::optional<RunMark> runMarkAt(const Snapshot& snapshot, std::size_t caret) {
  for (const auto& o : snapshot.outcomes) {
    if (caret < o->statement.span.begin || caret > o->statement.span.end) continue;
    const std::vector<RunMark> marks = runMarksOf(*o);
    if (!marks.empty()) return marks.front();
  }
  return std::nullopt;
}

void runButton(Session& session, const Outcome& outcome, std::size_t index) {
  const std::vector<RunMark> marks = runMarksOf(outcome);
  if (marks.empty()) return;
  const std::string name = fmt::format("figure.{}.run", index);
  const char* const label = outcome.ran && outcome.ran->asked ? "run again" : "run";
  if (marks.size() == 1) {
    if (ui::rowButton(name, label)) takeRun(session, marks.front());
    if (ImGui::IsItemHovered())
      ui::tooltip("Compiles, runs, checks and times it on this machine's GPU;\nwithout a GPU, runs it on the emulator");
    return;
  }
  if (ui::menu(name, label)) {
    for (std::size_t k = 0; k < marks.size(); ++k)
      if (ui::menuItem(fmt::format("{}.{}", name, k), marks[k].statement)) takeRun(session, marks[k]);
    ui::endMenu();
  }
  ImGui::SameLine();
}

void copyResultMenu(const Outcome& outcome, std::size_t index) {
  if (!outcome.ran) return;
  const std::string menu = fmt::format("figure.{}.copy", index);
  if (ui::menu(menu, "copy")) {
    const auto item = [&](const char* name, auto print) {
      if (ui::menuItem(menu + "." + name, name)) ImGui::SetClipboardText(print(outcome.ran->table).c_str());
    };
    item("text", [](const measure::ComparisonTable& t) { return measure::textOf(t); });
    item("CSV", [](const measure::ComparisonTable& t) { return measure::csvOf(t); });
    item("JSON", [](const measure::ComparisonTable& t) { return jsonOf(t); });
    ui::endMenu();
  }
  ImGui::SameLine();
}

void drawRunTriangle(ImVec2 center, float size, bool lit) {
  const float h = size / 2;
  ImGui::GetWindowDrawList()->AddTriangleFilled({center.x - h * 0.8F, center.y - h},
                                                {center.x - h * 0.8F, center.y + h}, {center.x + h, center.y},
                                                ui::color(lit ? Role::Accent : Role::Muted));
}

}  // namespace tessera::panes
