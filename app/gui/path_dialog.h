// path_dialog: where to open, save, export to: a field and the folder's entries beside it. It asks before it replaces a
// file, and before unsaved text goes.
#pragma once

#include <functional>
#include <string>

#include "app/gui/commands.h"

namespace tessera {

void askForPath(WindowState& state, WindowState::Ask what, std::string path);
// Save as, then `after` once it is saved; never when it was cancelled.
void askSaveAs(WindowState& state, std::string path, std::function<void()> after);
// Closes it; what was to follow does not.
void closePath(WindowState& state);

namespace panes {
void pathDialog(Session& session, WindowState& state);
}  // namespace panes

}  // namespace tessera
