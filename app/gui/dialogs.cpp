#include "app/gui/dialogs.h"

#include "app/gui/panel.h"

namespace tessera::panes {

using Ask = WindowState::Ask;

void dialogs(Session& session, WindowState& state) {
  if (state.canvas.exportOutcome != SIZE_MAX && state.ask == Ask::None) {
    state.ask = Ask::Export;
    state.askPath = "picture.svg";
    state.askJustOpened = true;
  }
  if (state.manualOpen) manual(state);
  if (state.confirmDiscard) discardDialog(state);
  if (state.ask != Ask::None) pathDialog(session, state);
  if (state.ask == Ask::None) state.canvas.exportOutcome = SIZE_MAX;
  if (state.searchOpen) palette(session, state);
}

}  // namespace tessera::panes
