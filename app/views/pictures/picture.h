// picture: one figure in the column: header with buttons and menus, bars, picture with mouse handling, caption; or two
// compared figures in place of the column.
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

// Outcome `index` of the sheet; paneHeight: maximum height.
void figurePane(Session& session, CanvasState& state, GridTextures& textures,
                const std::shared_ptr<const Outcome>& asked, std::size_t index, const std::string& key,
                float paneHeight);

// --- above the picture (figure_header.cpp, mode_bar.cpp) -------------------------------------------------------------

// Title, subtitle, buttons and menus. `asked`: the outcome as its line defines it; `o`: as displayed in the pane.
void header(Session& session, const Outcome& o, const Outcome& asked, std::size_t index, const std::string& key,
            CanvasState& state, Pane& pane, float width);

// The roles of an N-d picture's modes: a menu per mode (rows, columns, facets, fixed) and a slider if it is fixed.
//
//     [p: fixed] ----o---- 3     [z: facets]     [y: rows]     [x: columns]
//
// Draws nothing for a figure without modes. Changes are stored in pane.modes.
void modeBar(PaneView& pane, const Figure& figure, std::size_t index);

// Of a program's picture: the player's clock, and the selected block and thread.
//
//     [|<] [<] [play] [>] [>|]  [4x]    step --o---- 17 of 64    block o---- 0    thread o---- 5
//
// Keys, while the picture has them (ui::Owner::Pictures): left and right step by one, with Ctrl by ten; space plays and
// stops.
void playerBar(PaneView& pane, const Figure& figure, std::size_t index, CanvasState& state);
void playerKeys(PaneView& pane, const Figure& figure);
// Whether these are the modes of a program's picture, which cannot be assigned to rows and columns.
[[nodiscard]] bool hasClock(const Figure& figure);     // the player
[[nodiscard]] bool isOfProgram(const Figure& figure);  // the player, or one specification

// --- two pictures (compare.cpp) --------------------------------------------------------------------------------------

// Two pictures of the sheet side by side in place of the column, with a common pan and zoom, or alternating in the same
// place (blink); differences are lit and counted.
//
//     `compare` in the header of one picture, `compare with A` in that of another; Space blinks, Esc closes
//
// Returns true if a comparison is active and was drawn. Ends it if one of the pictures is gone.
[[nodiscard]] bool comparison(Session& session, CanvasState& state, GridTextures& textures,
                              const std::vector<std::string>& keys);
// The button in a picture's header.
void compareButton(CompareState& state, const std::string& key, std::size_t index);

}  // namespace tessera::panes
