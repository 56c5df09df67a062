// picture: one figure in the column: header, picture with mouse handling, caption.
#pragma once

#include "app/views/pictures/canvas.h"

namespace tessera::panes {

struct Hit {
  const Grid* grid = nullptr;
  i64 row = 0, col = 0;
};
// The cell at a place of the figure, in points.
[[nodiscard]] Hit hitTest(const Figure& figure, double x, double y);

// Paints the visible part of a figure into a rectangle of the screen. `key` identifies its textures, `content` the
// owner of its cells.
void paintPicture(const Figure& figure, const Pane& pane, ImVec2 origin, ImVec2 size, const Lights& lights, Theme theme,
                  GridTextures& textures, const std::string& key, std::uint64_t content);

// Hovers the cell under the mouse in the last item; a click pins it, or isolates its thread.
void pointAt(Session& session, const std::shared_ptr<const Outcome>& seen, std::size_t outcome, Pane& pane,
             ImVec2 origin, bool threads);

// Wheel and mouse over the last item, a picture: zooms with Ctrl or if focused; pans with Shift, a horizontal wheel or
// an unused drag; a double click fits. Does nothing if the mouse is elsewhere.
void moveAbout(const Figure& figure, Pane& pane, ImVec2 origin, ImVec2 size, bool focused, bool dragTaken = false);

// Keys of the focused picture: arrows pan, + and - zoom, 0 fits.
void moveByKeys(const Figure& figure, Pane& pane, ImVec2 size);

// Outcome `index` of the sheet; paneHeight: maximum height.
void figurePane(Session& session, CanvasState& state, GridTextures& textures,
                const std::shared_ptr<const Outcome>& asked, std::size_t index, const std::string& key,
                float paneHeight);

}  // namespace tessera::panes
