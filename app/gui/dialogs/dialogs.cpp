#include "app/gui/dialogs/dialogs.h"

#include <imgui_internal.h>

#include "app/gui/dialogs/disk_dialogs.h"
#include "app/gui/dialogs/path_dialog.h"
#include "app/gui/keyboard.h"
#include "app/gui/panes/panel.h"

namespace tessera::panes {

void dialogs(Session& session, WindowState& state) {
  if (state.canvas.exportOutcome != SIZE_MAX && state.question.ask == PathQuestion::Ask::None) {
    const std::size_t outcome = state.canvas.exportOutcome;
    askForPath(state, PathQuestion::Ask::Export, outcome == kCompared ? "comparison.svg" : "picture.svg");
    state.canvas.exportOutcome = outcome;
  }
  diskDialogs(session, state);
  const ui::Owner front = overlay(state);
  if (front != ui::Owner::None && ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup))
    ImGui::ClosePopupToLevel(0, /*restore_focus_to_window_under_popup=*/false);
  // A click outside closes passive layers; a question waits for its answer.
  const auto shaded = [&](ui::Owner layer, bool& open) {
    if (front == layer && shade()) open = false;
  };
  if (state.sheets.open()) {
    if (front == ui::Owner::Sheets) shade();
    sheetCompare(session, state);
  }
  if (state.manual.open) {
    shaded(ui::Owner::Manual, state.manual.open);
    manual(state);
  }
  if (state.palette.open) {
    shaded(ui::Owner::Palette, state.palette.open);
    palette(session, state);
  }
  if (state.question.ask != PathQuestion::Ask::None) {
    if (front == ui::Owner::Path) shade();
    pathDialog(session, state);
  }
  if (front == ui::Owner::Dialog) shade();
  dialog(state);
}

}  // namespace tessera::panes
