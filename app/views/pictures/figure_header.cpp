#include <fmt/format.h>

#include <algorithm>

#include "app/engine/help/next_steps.h"
#include "app/views/editor/editor.h"
#include "app/views/pictures/follow.h"
#include "app/views/pictures/picture.h"
#include "core/worksheet/value.h"
#include "render/figure/text_metrics.h"

namespace tessera::panes {
namespace {

using ui::px;

// The second part of the view menu: alternatives of the current view.
void choiceItems(const std::vector<FigureChoice>& choices, std::size_t index, PaneView& look) {
  for (const FigureChoice& choice : choices) {
    ImGui::Separator();
    ImGui::TextDisabled("%s", choice.name.c_str());
    ImGui::PushID(choice.name.c_str());
    for (const std::string& word : choice.words)
      if (ui::menuItem(fmt::format("figure.{}.{}.{}", index, choice.name, word), word, word == choice.now))
        choose(look, choices, word);
    ImGui::PopID();
  }
}

// For a run's result: bars or table.
void resultViews(const Outcome& o, std::size_t index, Pane& pane) {
  for (const FigureChoice& choice : o.figure->choices)
    for (const std::string& word : choice.words)
      if (ui::rowButton(fmt::format("figure.{}.{}.{}", index, choice.name, word), word.c_str(), word == choice.now))
        choose(pane.look, o.figure->choices, word);
}

// The menu of the value's views and of the current view's alternatives.
void viewMenu(const Outcome& o, std::size_t index, Pane& pane) {
  const Value* value = valueOf(o);
  if (o.ran) return resultViews(o, index, pane);
  if (value == nullptr) return;
  const std::vector<std::string_view> views = viewsFor(*value);
  if (views.size() < 2 && o.figure->choices.empty()) return;
  const std::string now = viewOf(pane.look, o), menu = fmt::format("figure.{}.view", index);
  if (ui::menu(menu, now)) {
    for (const std::string_view v : views) {
      if (!ui::menuItem(fmt::format("{}.{}", menu, v), std::string(v), v == now)) continue;
      pane.look.view = v;
      pane.look.modes.clear();
      pane.look.words.clear();
      pane.moved = false;
    }
    choiceItems(o.figure->choices, index, pane.look);
    ui::endMenu();
  }
  ImGui::SameLine();
}

// Returns to what the pane showed before it opened a part.
void goBack(Pane& pane) {
  const auto before = pane.look.opened->before;
  pane.look = before ? *before : PaneView();
  pane.moved = false;
}

// Buttons back from an opened part, to keep it as a line, and from a tile to the whole.
void partButtons(Session& session, const Statement& after, const Figure& figure, std::size_t index, Pane& pane) {
  PaneView& look = pane.look;
  if (look.opened && ui::rowButton(fmt::format("figure.{}.back", index), "back")) goBack(pane);
  if (const std::string line = statementOf(look, figure); !line.empty()) {
    if (ui::rowButton(fmt::format("figure.{}.keep", index), "keep")) insertAfter(session, after, line);
    if (ImGui::IsItemHovered()) ui::tooltip("Inserts this picture as a line of the worksheet\n" + line);
  }
  if (!figure.tile || figure.tile->now.empty()) return;
  if (ui::rowButton(fmt::format("figure.{}.whole", index), "whole")) look.tile = "whole";
  if (ImGui::IsItemHovered()) ui::tooltip("Shows the reads of the whole output instead of a tile");
}

// Banks: all phases, the next one, or all in turn.
void phaseButtons(const Outcome& o, std::size_t index, CanvasState& state, Pane& pane) {
  const int phases = viewOf(pane.look, o) == "banks" ? phasesOf(*o.figure) : 0;
  if (phases < 2) return;
  PaneView& look = pane.look;
  const std::string label = look.phase < 0 ? "all phases" : fmt::format("phase {} of {}", look.phase, phases);
  if (ui::rowButton(fmt::format("figure.{}.phase", index), label.c_str()))
    look.phase = look.phase + 1 >= phases ? -1 : look.phase + 1;
  if (ui::rowButton(fmt::format("figure.{}.play", index), look.playing ? "stop" : "play")) {
    look.playing = !look.playing;
    look.next = ImGui::GetTime() + 0.7;
    if (!look.playing) look.phase = -1;
  }
  if (!look.playing) return;
  state.animating = true;
  if (ImGui::GetTime() < look.next) return;
  look.phase = (look.phase + 1) % phases;
  look.next = ImGui::GetTime() + 0.7;
}

// Inserts a search result as a binding, followed by the claims that it satisfies.
void useButton(Session& session, const Outcome& o, std::size_t index) {
  if (o.statement.kind != StatementKind::Find) return;
  const std::vector<NextStep> steps = nextSteps(o);
  if (steps.empty()) return;
  if (ui::rowButton(fmt::format("figure.{}.use", index), "use")) takeStep(session, o.statement, steps.front());
  if (ImGui::IsItemHovered()) ui::tooltip("Inserts\n" + steps.front().statement.substr(0, 400));
}

// Copies a found swizzle in the chosen notation.
void copyMenu(const Outcome& o, std::size_t index) {
  const Value* value = valueOf(o);
  const auto* found = value != nullptr ? std::get_if<SwizzleFinding>(value) : nullptr;
  if (found == nullptr) return;
  std::vector<std::pair<const char*, std::string>> forms;
  if (found->linear && found->linear->exists()) {
    forms = {{"bits", print(*found->linear)}, {"CUDA", cudaIndexCode(*found->linear, found->layout)}};
  } else if (!found->search.swizzles.empty() || !found->search.paddings.empty()) {
    const SwizzleAnswer& a =
        found->search.swizzles.empty() ? found->search.paddings.front() : found->search.swizzles.front();
    forms = {{"CuTe", a.cute}, {"TMA", a.tma}, {"Triton", a.triton}, {"CUDA", a.cuda}};
  }
  std::erase_if(forms, [](const auto& f) { return f.second.empty(); });
  if (forms.empty()) return;
  const std::string menu = fmt::format("figure.{}.copy", index);
  if (ui::menu(menu, "copy")) {
    for (const auto& [name, text] : forms)
      if (ui::menuItem(fmt::format("{}.{}", menu, name), name)) ImGui::SetClipboardText(text.c_str());
    ui::endMenu();
  }
  ImGui::SameLine();
}

}  // namespace

void header(Session& session, const Outcome& o, const Outcome& asked, std::size_t index, const std::string& key,
            CanvasState& state, Pane& pane, float width) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float buttons = pane.buttons > 0 ? pane.buttons : px(220);
  // A title that the buttons would cut gets its own line.
  const bool stacked = ui::width(f.sansMedium, o.figure->title) + px(12) > width - buttons;
  const float room = std::max(px(40), stacked ? width : width - buttons - px(12));
  const std::string title = ui::fitted(o.figure->title, f.sansMedium, room);
  ui::text(f.sansMedium, {at.x, at.y + px(5)}, Role::Text, title);
  const float x = at.x + ui::width(f.sansMedium, title) + px(12);
  titleButton(state, asked, index, {at.x, at.y + px(3)}, {x - at.x - px(12), px(20)});
  const float rest = std::max(10.0F, at.x + room - x);
  ui::text(f.sans, {x, at.y + px(5)}, Role::Muted, ui::fitted(o.figure->subtitle, f.sans, rest));
  const float top = at.y + (stacked ? px(28) : 0);
  const float left = at.x + std::max(0.0F, width - buttons);
  ImGui::SetCursorScreenPos({left, top + px(2)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(6), 0));
  // The width is known from the second frame on; the first one must have the same height.
  const ui::ButtonRow row(left, pane.buttons > 0 ? at.x + width : 1e9F);
  if (const std::string wanted = layoutEditor(pane.look, pane.layout, asked, index); !wanted.empty())
    insertAfter(session, asked.statement, wanted);
  partButtons(session, asked.statement, *o.figure, index, pane);
  viewMenu(o, index, pane);
  phaseButtons(o, index, state, pane);
  useButton(session, asked, index);
  runButton(session, asked, index);
  copyMenu(o, index);
  copyResultMenu(o, index);
  if (ui::rowButton(fmt::format("figure.{}.fit", index), "fit")) {
    pane.moved = false;
    pane.sight.whole = true;
  }
  if (ImGui::IsItemHovered()) ui::tooltip("Shows the whole picture (Home)");
  if (ui::rowButton(fmt::format("figure.{}.only", index), state.onlyLine == o.statement.line ? "all" : "only"))
    state.onlyLine = state.onlyLine == o.statement.line ? -1 : o.statement.line;
  compareButton(state, key, index);
  ImGui::SameLine();
  if (ui::button(fmt::format("figure.{}.export", index), "export")) state.exportOutcome = index;
  pane.buttons = row.length();  // for the next frame
  ImGui::PopStyleVar();
  ImGui::SetCursorScreenPos({at.x, ImGui::GetItemRectMin().y + px(30)});
}

}  // namespace tessera::panes
