// path_dialog: chooses a path to open, save or export to: a field and the folder's entries. Asks before it replaces a
// file and before unsaved text is lost.
#pragma once

#include <functional>
#include <string>

#include "app/gui/commands.h"

namespace tessera {

void askForPath(WindowState& state, PathQuestion::Ask what, std::string path);
// Save as, then calls `after` unless it was cancelled.
void askSaveAs(WindowState& state, std::string path, std::function<void()> after);
// Closes it without calling `after`.
void closePath(WindowState& state);

namespace panes {
void pathDialog(Session& session, WindowState& state);
}  // namespace panes

}  // namespace tessera
