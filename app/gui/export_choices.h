// ExportChoices: what the Export dialog lets one choose about a picture, and where the picture comes from: the pane, as it
// is seen there. A thread that is isolated, a phase, another view or slice, what is pinned: all as on screen.
#pragma once

#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/views/canvas.h"
#include "render/ink/ink.h"

namespace tessera::panes {

struct ExportChoices {
  std::optional<Theme> theme;  // the window's, until another is chosen
  double scale = 2;            // PNG pixels a point
  bool transparent = false;
};

// Three rows of small buttons: theme, scale, background.
void exportChoices(const Session& session, ExportChoices& choices);
// Writes the picture of an outcome as its pane shows it; false, and a message, when that fails.
bool exportSeen(Session& session, CanvasState& canvas, const ExportChoices& choices, const std::string& path);

}  // namespace tessera::panes
