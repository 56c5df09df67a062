#include "app/gui/dialogs/dialog.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/gui/commands.h"

namespace tessera {

using ui::px;

void askUser(WindowState& state, Dialog dialog) {
  std::erase_if(state.dialogs, [&](const Dialog& d) { return d.name == dialog.name; });
  state.dialogs.push_back(std::move(dialog));
}

void takeChoice(WindowState& state, std::size_t choice) {
  Dialog d = std::move(state.dialogs.back());
  state.dialogs.pop_back();
  // The action may open the next dialog or report an error.
  const Dialog::Run run = d.choices.at(choice).run;
  d.problem = run ? run() : "";
  if (!d.problem.empty()) askUser(state, std::move(d));
}

void dismiss(WindowState& state) {
  if (!state.dialogs.empty()) state.dialogs.pop_back();
}

namespace panes {
namespace {

// Draws the choices in a row; returns the one taken by click or key.
std::optional<std::size_t> choices(Dialog& d) {
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Dialog, key); };
  const std::size_t n = d.choices.size();
  const bool back = ImGui::GetIO().KeyShift;
  const bool arrows = !d.hasField;
  if ((pressed(ImGuiKey_Tab) && !back) || (arrows && pressed(ImGuiKey_RightArrow))) d.marked = (d.marked + 1) % n;
  if ((pressed(ImGuiKey_Tab) && back) || (arrows && pressed(ImGuiKey_LeftArrow))) d.marked = (d.marked + n - 1) % n;
  std::optional<std::size_t> taken;
  for (std::size_t k = 0; k < n; ++k) {
    if (k > 0) ImGui::SameLine();
    if (ui::button(d.name + "." + d.choices[k].name, d.choices[k].label.c_str(), k == d.marked)) taken = k;
  }
  if (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter)) taken = d.marked;
  return taken;
}

}  // namespace

void dialog(WindowState& state) {
  if (state.dialogs.empty()) return;
  Dialog& d = state.dialogs.back();
  std::optional<std::size_t> taken;
  if (beginPanel("##dialog", d.width, d.body ? 0.12F : 0.28F)) {
    panelTitle(d.title);
    if (!d.text.empty()) muted(d.text);
    if (d.body) d.body();
    panelProblem(d.problem);
    ImGui::Dummy({0, px(4)});
    taken = choices(d);
  }
  ImGui::End();
  if (taken) takeChoice(state, *taken);
}

}  // namespace panes

}  // namespace tessera

namespace tessera::panes {

using ui::px;

bool shade() {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(screen);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_ModalWindowDimBg));
  ImGui::Begin("##shade", nullptr, ui::kStill | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());  // panels are stacked in drawing order
  const bool clicked = ui::hitArea("shade", {std::max(1.0F, screen.x), std::max(1.0F, screen.y)});
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
  return clicked;
}

bool beginPanel(const char* name, float width, float top) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float w = std::max(px(80), std::min(px(width), screen.x - px(24)));
  const ImGuiWindow* before = ImGui::FindWindowByName(name);
  const float h = before != nullptr ? before->Size.y : 0;
  ImGui::SetNextWindowPos({(screen.x - w) / 2, std::max(0.0F, std::min(screen.y * top, screen.y - h - px(8)))});
  ImGui::SetNextWindowSize({w, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(16), px(14)));
  const bool open = ImGui::Begin(name, nullptr, ui::kStill | ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::PopStyleVar();
  ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
  return open;
}

void panelTitle(const std::string& title) { ui::paragraph(title, Role::Text, ui::look().fonts.sansMedium); }

void muted(const std::string& words) { ui::paragraph(words, Role::Muted, ui::look().fonts.small); }

void panelProblem(const std::string& problem) {
  if (!problem.empty()) ui::paragraph(problem, Role::Refuted, ui::look().fonts.small);
}

float listHeight(float wanted) { return std::clamp(ImGui::GetIO().DisplaySize.y - px(230), px(40), px(wanted)); }

}  // namespace tessera::panes
