// The edits that answers suggest (app/engine/help/next_steps.h) as code actions.
#include <nlohmann/json.hpp>

#include "app/engine/help/next_steps.h"
#include "app/lsp/features.h"

namespace tessera::lsp {
namespace {

constexpr std::string_view kQuickFix = "quickfix", kRefactor = "refactor.rewrite";

// Whether the editor asks for that kind: "refactor" includes "refactor.rewrite".
bool wanted(const Json& params, std::string_view kind) {
  const Json* const only = findMember(params, "context.only");
  if (only == nullptr || !only->is_array()) return true;
  for (const Json& k : *only) {
    if (!k.is_string()) continue;
    const auto& asked = k.get_ref<const std::string&>();
    if (asked.empty() || kind == asked || (kind.starts_with(asked) && kind[asked.size()] == '.')) return true;
  }
  return false;
}

std::string stepTitle(const NextStep& step) {
  if (!step.corrects.empty()) return "Make it true: " + step.label;
  return (step.replace ? "Write " : "Insert: ") + step.label;
}

void addStep(Json& out, const Known& known, const Outcome& o, const NextStep& step, std::string_view kind) {
  const auto edit = editOf(*known.sheet, o.statement, step);
  const auto place = edit ? known.inText(edit->replace) : std::nullopt;
  if (!place) return;  // a statement after a program, which is a file of its own
  Json action = {{"title", stepTitle(step)}, {"kind", kind}};
  action["edit"] =
      editOfDocument(known, Json::array({{{"range", rangeOf(*place, *known.text)}, {"newText", edit->with}}}));
  out.push_back(std::move(action));
}

}  // namespace

Json codeActionsOf(const Known& known, const Json& params) {
  const Span range = spanOf(memberOf(params, "range"), *known.text);
  Json out = Json::array();
  for (const auto& o : known.outcomes()) {
    const Span span = known.cutToText(o->statement.span);
    if (range.end < span.begin || range.begin > span.end) continue;
    if (wanted(params, kQuickFix))
      for (const NextStep& step : nextSteps(*o)) addStep(out, known, *o, step, kQuickFix);
    if (wanted(params, kRefactor))
      for (const NextStep& step : layoutSteps(*o)) addStep(out, known, *o, step, kRefactor);
  }
  return out;
}

}  // namespace tessera::lsp
