#include "app/gui/panes/panel.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/widgets/ui.h"

namespace tessera::panes {

using ui::px;

namespace {

// Panels are stacked in drawing order, independently of clicks.
void bringToFront() { ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow()); }

}  // namespace

bool shade() {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(screen);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_ModalWindowDimBg));
  ImGui::Begin("##shade", nullptr, ui::kStill | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  bringToFront();
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
  bringToFront();
  return open;
}

void panelTitle(const std::string& title) { ui::paragraph(title, Role::Text, ui::look().fonts.sansMedium); }

void muted(const std::string& words) { ui::paragraph(words, Role::Muted, ui::look().fonts.small); }

void panelProblem(const std::string& problem) {
  if (!problem.empty()) ui::paragraph(problem, Role::Refuted, ui::look().fonts.small);
}

float listHeight(float wanted) { return std::clamp(ImGui::GetIO().DisplaySize.y - px(230), px(40), px(wanted)); }

}  // namespace tessera::panes
