#include "app/views/editor/run_marks.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/engine/measure/comparison_json.h"
#include "app/engine/measure/run_program.h"
#include "app/views/editor/insert.h"
#include "app/widgets/tooltip.h"
#include "app/widgets/ui.h"
#include "core/graphene/program.h"
#include "core/worksheet/programs/run_statement.h"
#include "core/worksheet/value.h"

namespace tessera::panes {
namespace {

using ui::px;

struct KernelPlace {
  std::string output;  // "C"
  Span span;
};

// The kernels of a program: its outermost specifications.
std::vector<KernelPlace> kernelsOf(const graphene::Listing& listing) {
  std::vector<KernelPlace> out;
  for (const graphene::Statement& s : listing.program->specs) {
    const auto* spec = std::get_if<graphene::Spec>(&s.what);
    if (spec != nullptr && !spec->outputs.empty()) out.push_back({spec->outputs.front().name, s.span});
  }
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

int lineOf(const Statement& s, std::size_t inside) { return s.line + lineColumn(s.text, inside).line - 1; }

std::string statementFor(const std::string& name, const KernelPlace& kernel, std::size_t kernels) {
  return kernels < 2 ? "run " + name : fmt::format("run {} spec %{}", name, kernel.output);
}

// Whether "run gemm spec %C with M=8" covers "run gemm spec %C".
bool runsTheSame(const std::string& key, const std::string& wanted) {
  if (key == wanted) return true;
  if (!key.starts_with(wanted + " ")) return false;
  return wanted.find(" spec ") != std::string::npos || key.find(" spec ") == std::string::npos;
}

}  // namespace

std::vector<RunMark> runMarksOf(const Outcome& o) {
  if (o.statement.kind == StatementKind::Run) return {RunMark{o.statement.line, o.statement, o.statement.text}};
  std::string name;
  const graphene::Listing* const listing = programOf(o, name);
  if (listing == nullptr) return {};
  const std::vector<KernelPlace> kernels = kernelsOf(*listing);
  std::vector<RunMark> out;
  if (!kernels.empty()) out.push_back({o.statement.line, o.statement, "run " + name});
  for (const KernelPlace& kernel : kernels)
    if (kernels.size() > 1) out.push_back({o.statement.line, o.statement, statementFor(name, kernel, kernels.size())});
  return out;
}

std::vector<RunMark> runMarksOf(const Snapshot& snapshot) {
  std::vector<RunMark> out;
  for (const auto& o : snapshot.outcomes) {
    if (o->statement.kind == StatementKind::Run) out.push_back({o->statement.line, o->statement, o->statement.text});
    std::string name;
    const graphene::Listing* const listing = o->statement.kind == StatementKind::Block ? programOf(*o, name) : nullptr;
    if (listing == nullptr) continue;
    const std::vector<KernelPlace> kernels = kernelsOf(*listing);
    for (const KernelPlace& kernel : kernels)
      out.push_back(
          {lineOf(o->statement, kernel.span.begin), o->statement, statementFor(name, kernel, kernels.size())});
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

void drawRunTriangle(ImDrawList* list, ImVec2 center, float size, bool lit) {
  const float h = size / 2;
  list->AddTriangleFilled({center.x - h * 0.8F, center.y - h}, {center.x - h * 0.8F, center.y + h},
                          {center.x + h, center.y}, ui::color(lit ? Role::Accent : Role::Muted));
}

}  // namespace tessera::panes
