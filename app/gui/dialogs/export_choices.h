// ExportChoices: the options of the Export dialog, and the picture to export: the pane as displayed, with its isolated
// thread, phase, view, slice and pins.
#pragma once

#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/views/pictures/canvas.h"
#include "render/ink/ink.h"

namespace tessera::panes {

struct ExportChoices {
  std::optional<Theme> theme;  // the window's by default
  double scale = 2;            // PNG pixels per point
  bool transparent = false;
};

// Three rows of small buttons: theme, scale, background.
void exportChoices(const Session& session, ExportChoices& choices);
// Writes the picture of an outcome as displayed in its pane; on failure shows a message and returns false.
bool exportSeen(Session& session, CanvasState& canvas, const ExportChoices& choices, const std::string& path);

}  // namespace tessera::panes
