// picture: one figure in the column: its header, the picture itself with the mouse over it, its caption.
#pragma once

#include "app/views/canvas.h"

namespace tessera::panes {

struct Hit {
  const Grid* grid = nullptr;
  i64 row = 0, col = 0;
};
// The cell at a place of the figure, in points.
[[nodiscard]] Hit hitTest(const Figure& figure, double x, double y);

// Paints what the pane sees of a figure into a rectangle of the screen. `key` names it among the textures, `content` is
// what its cells belong to.
void paintPicture(const Figure& figure, const Pane& pane, ImVec2 origin, ImVec2 size, const Lights& lights, Theme theme,
                  GridTextures& textures, const std::string& key, std::uint64_t content);

// The cell under the mouse, of the last item, is hovered; a click pins it, or isolates its thread.
void pointAt(Session& session, const std::shared_ptr<const Outcome>& seen, std::size_t outcome, Pane& pane,
             ImVec2 origin, bool threads);

// The wheel and the mouse over the last item, which is a picture: zoom with Ctrl or when it is focused, pan with Shift,
// a sideways wheel or a drag that nobody took; a double click fits. Nothing of it for who is not under the mouse.
void moveAbout(const Figure& figure, Pane& pane, ImVec2 origin, ImVec2 size, bool focused, bool dragTaken = false);

// The keys of the focused picture: arrows pan, + and - zoom, 0 fits.
void moveByKeys(const Figure& figure, Pane& pane, ImVec2 size);

// Outcome `index` of the sheet; paneHeight: the most that it may take.
void figurePane(Session& session, CanvasState& state, GridTextures& textures,
                const std::shared_ptr<const Outcome>& asked, std::size_t index, const std::string& key,
                float paneHeight);

}  // namespace tessera::panes
