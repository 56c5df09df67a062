// canvas: every figure of the worksheet, one under the other, each with its own pan and zoom; hovering links them all.
#pragma once

#include <imgui.h>

#include <map>
#include <string>

#include "app/session/session.h"
#include "app/views/layout_editor.h"
#include "app/views/pane_view.h"
#include "app/views/sheet_lights.h"
#include "render/gl/grid_textures.h"

namespace tessera::panes {

// How one figure is looked at. Kept by the statement's text, so that an edit elsewhere does not move the picture.
struct Pane {
  bool moved = false;  // false: fitted to the pane, whatever its size
  double scale = 0;
  double x = 0, y = 0;
  float height = 0;   // 0: as tall as it wants
  float buttons = 0;  // how wide its buttons were in the last frame
  PaneView look;
  LayoutEdit layout;
  std::shared_ptr<const Outcome> shown;  // the cache of seenThrough
  std::string shownKey;
};

struct CanvasState {
  std::map<std::string, Pane> panes;
  int scrollToLine = -1;                 // bring this line's figure into view
  std::size_t exportOutcome = SIZE_MAX;  // set when "export" is clicked: the window asks for a path
  int onlyLine = -1;                     // one figure fills the canvas
  bool animating = false;                // the next frame must come soon
  Origin asked;                          // what steps are shown of: under the mouse last, else pinned
  SheetLights lights;                    // what lights in each picture
};

void canvas(Session& session, CanvasState& state, GridTextures& textures);

}  // namespace tessera::panes
