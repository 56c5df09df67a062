#include "app/gui/keyboard.h"

#include "app/gui/dialogs/file_dialogs.h"
#include "app/views/editor/editor_page.h"

namespace tessera {

using ui::Owner;

Owner overlay(const WindowState& state) {
  if (!state.dialogs.empty()) return Owner::Dialog;
  if (state.question.ask != PathQuestion::Ask::None) return Owner::Path;
  if (state.palette.open) return Owner::Palette;
  if (state.manual.open) return Owner::Manual;
  if (state.sheets.open()) return Owner::Sheets;
  return Owner::None;
}

Owner keyboardOwner(const WindowState& state) {
  if (const Owner above = overlay(state); above != Owner::None) return above;
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return Owner::Menu;
  if (state.canvas.scroll.keys) return Owner::Pictures;
  if (state.isPicture || state.shown.left != ShownPanes::Left::Worksheet) return Owner::None;
  return state.editor.find.open && !state.editor.focused ? Owner::Find : Owner::Worksheet;
}

bool closeFront(WindowState& state) {
  const Owner front = keyboardOwner(state);
  if (front == Owner::Dialog) dismiss(state);
  if (front == Owner::Path) closePath(state);
  if (front == Owner::Palette) state.palette.open = false;
  if (front == Owner::Manual) state.manual.open = false;
  if (front == Owner::Sheets) closeComparison(state);
  if (front == Owner::Menu) return ui::closeMenus();
  // The completion list is in front of the find field.
  if (front == Owner::Worksheet && panes::closeOffers(state.editor)) return true;
  if (front == Owner::Worksheet || front == Owner::Find) return std::exchange(state.editor.find.open, false);
  return front != Owner::Pictures && front != Owner::None;
}

}  // namespace tessera
