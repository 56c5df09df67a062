// The palette: one field that finds everything (palette_entries.h), with kinds on the right; Enter runs the marked
// entry.
#include <imgui.h>

#include <algorithm>

#include "app/gui/dialogs/dialogs.h"
#include "app/gui/palette_entries.h"
#include "app/gui/panes/panel.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"
#include "render/figure/text_metrics.h"

namespace tessera::panes {
namespace {

using ui::px;
constexpr int kShown = 14;

// The search field; returns true if Enter was pressed.
bool field(WindowState& state) {
  ImGui::SetNextItemWidth(-1);
  const std::string before = state.palette.text;
  const bool entered = ui::field(ui::Owner::Palette, "search.field", state.palette.text,
                                 "Find a command, a sheet, a function, an instruction, a name ...");
  if (before != state.palette.text) state.palette.row = 0;
  return entered;
}

void moveIn(WindowState& state, int rows) {
  if (rows == 0) return;
  const auto pressed = [](ImGuiKey k) { return ui::keyboard().pressed(ui::Owner::Palette, k); };
  const int page = kShown - 1;
  if (pressed(ImGuiKey_DownArrow)) state.palette.row = (state.palette.row + 1) % rows;
  if (pressed(ImGuiKey_UpArrow)) state.palette.row = (state.palette.row + rows - 1) % rows;
  if (pressed(ImGuiKey_PageDown)) state.palette.row = std::min(state.palette.row + page, rows - 1);
  if (pressed(ImGuiKey_PageUp)) state.palette.row = std::max(state.palette.row - page, 0);
  state.palette.row = std::clamp(state.palette.row, 0, rows - 1);
}

// Title, detail, and on the right the kind (for a command: its shortcut).
bool row(const PaletteEntry& e, bool marked) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushID(e.key.c_str());
  ImGui::PushID(e.target.c_str());
  const bool pressed = ImGui::Selectable("##row", marked, 0, {0, px(22)});
  ImGui::PopID();
  ImGui::PopID();
  ui::placeLast("search." + e.key);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool keys = e.command != nullptr && *e.command->shortcut != '\0';
  const std::string right = keys ? e.command->shortcut : name(e.kind);
  const float rightWidth = ui::width(f.small, right), room = width - rightWidth - px(28);
  const bool code = e.kind >= PaletteEntry::Kind::Name && e.kind <= PaletteEntry::Kind::View;
  ImFont* font = code ? f.code : f.sans;
  const std::string title =
      fitted(e.title, code ? Face::Mono : Face::Sans, 13, static_cast<double>(room / ui::look().scale));
  ui::text(list, font, {at.x + px(6), at.y + (px(22) - font->FontSize) / 2}, ui::color(Role::Text), title);
  ui::text(list, f.small, {at.x + width - rightWidth - px(6), at.y + px(3)}, ui::color(Role::Muted), right);
  const float x = px(20) + ui::width(font, title), rest = (room - x) / ui::look().scale;
  if (rest > 60 && e.kind != PaletteEntry::Kind::Command)
    ui::text(list, f.small, {at.x + x, at.y + px(3)}, ui::color(Role::Muted),
             fitted(e.detail, Face::Sans, 12, static_cast<double>(rest)));
  return pressed;
}

}  // namespace

void palette(Session& session, WindowState& state) {
  if (beginPanel("##search", 660, 0.08F)) {
    const bool entered = field(state);
    const std::vector<PaletteEntry> found = paletteFind(session, state, state.palette.text);
    const int rows = static_cast<int>(found.size());
    moveIn(state, rows);
    const int first = std::max(0, state.palette.row - kShown + 1);
    int chosen = -1;
    for (int k = first; k < std::min(rows, first + kShown); ++k)
      if (row(found[static_cast<std::size_t>(k)], k == state.palette.row)) chosen = k;
    if (rows == 0) muted("Nothing has these words. Try part of a name: swiz, ldmatrix, compl, banks.");
    if (rows > kShown) muted("Up and Down go on: " + std::to_string(rows - kShown) + " more");
    if (entered && state.palette.row < rows) chosen = state.palette.row;
    if (chosen >= 0) {
      state.palette.open = false;
      paletteRun(session, state, found[static_cast<std::size_t>(chosen)]);
    }
  }
  ImGui::End();
}

}  // namespace tessera::panes
