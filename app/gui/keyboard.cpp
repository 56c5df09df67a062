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
  switch (keyboardOwner(state)) {
    case Owner::Dialog:
      dismiss(state);
      return true;
    case Owner::Path:
      closePath(state);
      return true;
    case Owner::Palette:
      state.palette.open = false;
      return true;
    case Owner::Manual:
      state.manual.open = false;
      return true;
    case Owner::Sheets:
      closeComparison(state);
      return true;
    case Owner::Menu:
      return ui::closeMenus();
    case Owner::Worksheet:
      // The completion list is in front of the find field.
      if (panes::closeOffers(state.editor)) return true;
      [[fallthrough]];
    case Owner::Find:
      return std::exchange(state.editor.find.open, false);
    case Owner::Pictures:
    case Owner::None:
      break;
  }
  return false;
}

}  // namespace tessera
