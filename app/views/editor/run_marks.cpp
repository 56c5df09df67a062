#include "app/views/editor/run_marks.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/engine/measure/comparison_json.h"
#include "app/engine/measure/run_program.h"
#include "app/views/editor/editor.h"
#include "core/graphene/program.h"
#include "core/worksheet/programs/run_statement.h"
#include "core/worksheet/value.h"

namespace tessera::panes {
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

// The marks for an outcome: one per kernel, at the kernel's line or that of the statement; without `atKernels` the
// whole program first, and no kernel that is alone.
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
  const std::string& text = session.document().text();
  const Span span = mark.of.span;
  if (span.end > text.size() || text.compare(span.begin, span.end - span.begin, mark.of.text) != 0) return;
  session.evaluation().run(mark.statement);
  insertBehind(session, mark.of, mark.statement);
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
      ui::tooltip("compiles, runs, checks and times it on the GPU of this machine;\nwithout one the emulator runs it");
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
