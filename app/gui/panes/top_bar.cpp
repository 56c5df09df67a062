#include <algorithm>

#include "app/gui/frame.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

using ui::px;

// The mark: four tiles in the four group colours.
void logo(ImDrawList* list, ImVec2 at) {
  const float s = px(6.5), gap = px(1.6);
  for (int k = 0; k < 4; ++k) {
    const ImVec2 a = {at.x + static_cast<float>(k % 2) * (s + gap), at.y + static_cast<float>(k / 2) * (s + gap)};
    list->AddRectFilled(a, {a.x + s, a.y + s}, ui::color(resolve({Role::Group, k, 0, 0}, Theme::Dark, true)), px(1.6));
  }
}

// Returns their right end.
float menus(Session& session, WindowState& state) {
  float end = 0;
  std::string menu;
  bool open = false;
  const auto close = [&] {
    if (open) ui::endMenu();
    open = false;
  };
  for (const Command& c : commands()) {
    if (*c.menu == '\0') continue;
    if (menu != c.menu) {
      close();
      menu = c.menu;
      ImGui::SameLine(0, 0);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float w = ui::width(ui::look().fonts.sans, menu);
      end = at.x + w + px(20);
      const std::string name = "menu." + menu;
      const bool pressed = ui::hitArea(name.c_str(), {w + px(20), px(20)});
      ui::placeLast(name);
      const bool hot = ImGui::IsItemHovered();
      ui::text(ui::look().fonts.sans, {at.x + px(10), at.y}, hot ? Role::Text : Role::Muted, menu);
      if (pressed) ImGui::OpenPopup((name + ".items").c_str());
      open = ui::beginMenu(name + ".items");
    }
    if (!open) continue;
    const bool enabled = !c.enabled || c.enabled(session, state);
    if (ImGui::MenuItem(c.title, c.shortcut, false, enabled)) c.run(session, state);
    ui::placeLast(std::string("command.") + c.id);
  }
  close();
  return end;
}

// Draws nothing if it would start left of `least`. Returns its left end, else `right`.
float chip(const char* name, const std::string& label, float right, float y, float least) {
  const ui::Fonts& f = ui::look().fonts;
  const float w = ui::width(f.small, label) + px(22), h = px(24);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 a = {right - w, y};
  if (a.x < least) return right;
  list->AddRect(a, {a.x + w, a.y + h}, ui::color(Role::Hairline), h / 2);
  ui::textInRow(f.small, {a.x + px(11), a.y}, h, Role::Muted, label);
  ui::place(name, a, {a.x + w, a.y + h});
  return a.x;
}

// Opens the palette. Centred in the window if there is room, else between `left` and `right`, or omitted.
void searchField(WindowState& state, float left, float right, float width, float height) {
  const float w = std::min({px(440), width * 0.28F, right - left}), h = px(28), y = (height - h) / 2;
  if (w < px(60)) return;
  const float x = std::clamp((width - w) / 2, left, right - w);
  const ui::Fonts& f = ui::look().fonts;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos({x, y});
  if (ui::hitArea("search", {w, h})) {
    state.palette = {true};
  }
  ui::placeLast("search.open");
  ui::fill({x, y}, {x + w, y + h}, Role::Raised, 1, px(6));
  list->AddRect({x, y}, {x + w, y + h}, ui::color(ImGui::IsItemHovered() ? Role::Faint : Role::Hairline), px(6));
  const char* hint =
      ui::width(f.small, "Search, or run a command") + px(80) < w ? "Search, or run a command" : "Search";
  ui::textInRow(f.small, {x + px(12), y}, h, Role::Muted, hint);
  const float keys = ui::width(f.small, "Ctrl K");
  if (ui::width(f.small, hint) + keys + px(40) < w)
    ui::textInRow(f.small, {x + w - px(12) - keys, y}, h, Role::Faint, "Ctrl K");
}

}  // namespace

void topBar(Session& session, WindowState& state, float width, float height) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("##top", nullptr, kFixed | ImGuiWindowFlags_NoScrollbar);
  ImDrawList* list = ImGui::GetWindowDrawList();
  logo(list, {px(16), (height - px(14.6)) / 2});
  const ui::Fonts& f = ui::look().fonts;
  ui::text(f.sansMedium, {px(40), (height - f.sansMedium->FontSize) / 2}, Role::Text, "Tessera");
  ImGui::SetCursorScreenPos({px(112), (height - f.sans->FontSize) / 2});
  ImGui::Dummy({0, 0});
  const float menusEnd = menus(session, state) + px(12);
  const Document& d = session.document();
  const std::string file = fileNameOf(d.path(), "untitled") + (d.modified() ? " \u2022" : "");
  const float chipAt =
      chip("chip.file", fitted(file, Face::Sans, 12, 220), width - px(16), (height - px(24)) / 2, menusEnd);
  searchField(state, menusEnd, chipAt - px(12), width, height);
  ui::hairline({0, height - 1}, {width, height - 1});
  ImGui::End();
  ImGui::PopStyleVar(2);
}

}  // namespace tessera
