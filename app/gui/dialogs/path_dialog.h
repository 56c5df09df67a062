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
// Writes the picture of an outcome as displayed in its pane, with its isolated thread, phase, view, slice and pins; on
// failure shows a message and returns false.
bool exportSeen(Session& session, CanvasState& canvas, const ExportChoices& choices, const std::string& path);
}  // namespace panes

}  // namespace tessera
