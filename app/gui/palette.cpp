#include <algorithm>

#include "app/gui/dialogs.h"
#include "app/gui/panel.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;

bool containsFolded(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         }) != text.end();
}

}  // namespace

void palette(Session& session, WindowState& state) {
  if (beginPanel("##search", 520, 0.08F)) {
    ImGui::SetNextItemWidth(-1);
    const std::string before = state.searchText;
    const bool entered = ui::field(ui::Owner::Palette, "search.field", state.searchText, "Search, or run a command");
    if (before != state.searchText) state.searchRow = 0;
    std::vector<const Command*> found;
    for (const Command& c : commands())
      if (*c.menu != '\0' && containsFolded(c.title, state.searchText) && (!c.enabled || c.enabled(session, state)))
        found.push_back(&c);
    const int rows = static_cast<int>(found.size());
    if (rows > 0 && ui::keyboard().pressed(ui::Owner::Palette, ImGuiKey_DownArrow))
      state.searchRow = (state.searchRow + 1) % rows;
    if (rows > 0 && ui::keyboard().pressed(ui::Owner::Palette, ImGuiKey_UpArrow))
      state.searchRow = (state.searchRow + rows - 1) % rows;
    const Command* chosen = nullptr;
    for (int k = 0; k < rows; ++k) {
      const Command& c = *found[static_cast<std::size_t>(k)];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::PushID(c.id);
      if (ImGui::Selectable("##row", k == state.searchRow, 0, {0, px(22)})) chosen = &c;
      ImGui::PopID();
      ui::placeLast(std::string("search.") + c.id);
      ImDrawList* list = ImGui::GetWindowDrawList();
      ui::text(list, ui::look().fonts.sans, {at.x + px(6), at.y + px(2)}, ui::color(Role::Text), c.title);
      const float w = ui::width(ui::look().fonts.small, c.shortcut);
      ui::text(list, ui::look().fonts.small, {at.x + ImGui::GetContentRegionAvail().x - w - px(6), at.y + px(3)},
               ui::color(Role::Faint), c.shortcut);
    }
    if (rows == 0) muted("No command has these words.");
    if (entered && state.searchRow < rows) chosen = found[static_cast<std::size_t>(state.searchRow)];
    if (chosen != nullptr) {
      state.searchOpen = false;
      chosen->run(session, state);
    }
  }
  ImGui::End();
}

}  // namespace tessera::panes
