// picture: one figure in the column: header with buttons and menus, bars, picture with mouse handling, caption; or two
// compared figures in place of the column.
#pragma once

#include "app/views/pictures/canvas.h"
#include "render/gl/first_fit.h"

namespace tessera::panes {

struct Hit {
  const Grid* grid = nullptr;
  i64 row = 0, col = 0;
};
// The cell at a place of the figure, in points.
[[nodiscard]] Hit hitTest(const Figure& figure, double x, double y);

// texts: false for a map. least: the least size of texts, 1 in the window.
struct PaintHow {
  bool texts = true;
  double least = 1;
};
// Paints the visible part of a figure into a rectangle of the screen. `key` identifies its textures, `content` the
// owner of its cells. Returns the texts that are too small.
Omitted paintPicture(const Figure& figure, const Pane& pane, ImVec2 origin, ImVec2 size, const Lights& lights,
                     Theme theme, GridTextures& textures, const std::string& key, std::uint64_t content,
                     const PaintHow& how = {});

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

// --- camera (pane_camera.cpp) ---------------------------------------------------------------------------------------

// The camera of a pane. The point (x, y) of the figure is at the pane's top left corner; `scale` is pixels
// per point.
//
//     fit(figure, pane, 800, 300);                        the whole picture, at most at natural size
//     zoomAt(figure, pane, 1.2, 40, 30, {800, 300});      20 % larger, with the place under the mouse fixed
//
// Law: the picture never leaves the pane: if it fits it is centred, otherwise it fills the pane. So zooming out ends
// exactly where fit starts.
//
// What a figure draws at the pane's scale, headers and a margin included, in points.
[[nodiscard]] Rect extentIn(const Figure& figure, const Pane& pane);

// The initial camera.
void fit(const FirstFit& first, Pane& pane);

// The whole figure in w x h pixels.
void fit(const Figure& figure, Pane& pane, float w, float h);

// Zooms by `factor` around (x, y), in pixels from the pane's corner. The scale is at least that of the whole figure,
// which is then fitted again, and at most 40 pixels per point.
void zoomAt(const Figure& figure, Pane& pane, double factor, double x, double y, ImVec2 size);

// Pans by that many pixels, up to the picture's margin. Returns false at the margin.
bool panBy(const Figure& figure, Pane& pane, double dx, double dy, ImVec2 size);

// Centres the pane on a place of the figure, with at least this scale.
void lookAt(const Figure& figure, Pane& pane, double x, double y, double scale, ImVec2 size);

// --- a picture larger than its pane (pane_scroll.cpp) ----------------------------------------------------------------

// Scroll bars, and in the lower right corner a map of the whole picture with a frame around the visible part. Both are
// there if and only if the pane shows a part.
//
//     (4096,64):(64,1), its first 50 rows     a bar at the right edge; a map of 64 x 4096 cells, the frame at the top
//
// Handles the mouse over the last item, a picture: a drag of a bar, or anywhere in the map, moves the picture. Returns
// true if it takes the mouse.
bool scrollPane(const Figure& figure, Pane& pane, ImVec2 origin, ImVec2 size);
// Draws them, and registers their places: "figure.0.across", "figure.0.down", "figure.0.map".
void paintScroll(const Figure& figure, const Pane& pane, ImVec2 origin, ImVec2 size, Theme theme,
                 GridTextures& textures, const std::string& key, std::uint64_t content, std::size_t index);

// --- doors and tiles (figure_doors.cpp) -----------------------------------------------------------------------------

// A click on a door (render/figure/figure.h) opens the linked part in the same pane, and the button "back" returns. A
// drag over a tile's grid selects that tile.
//
//     a click on the box of %fusion.1 in a data flow        the pane shows the reads of %fusion.1
//     a drag over the output of a reads picture             the reads of that tile
//
// Laws: the worksheet's text is unchanged; a drag that starts elsewhere pans the picture.
//
// The door at a position of the figure, in points; or null.
[[nodiscard]] const FigureDoor* doorAt(const Figure& figure, double x, double y);
// The box spanned by two cells of the tile's grid, in the syntax of the view's word: "[0:8,16:32]".
[[nodiscard]] std::string boxOf(const FigureTile& tile, Point a, Point b);

// Shows the part in the pane; does nothing if the outcome has no such part.
void openDoor(PaneView& look, const Outcome& outcome, const FigureDoor& door);

// Handles the mouse over the last item, a picture with doors and a tile. Returns true if it takes the drag; the picture
// then does not pan.
bool pointAtDoors(const Figure& figure, const Outcome& outcome, Pane& pane, ImVec2 origin);

// --- rows (figure_rows.cpp) -----------------------------------------------------------------------------------------

// The table beside a picture (render/figure/rows.h), to its right in a wide pane, else below it. A click on a head
// sorts; a row and its box mark each other. Keys, after a click into the table: the arrows select, Enter opens.
//
//     a row whose kernel has its own box       Enter or a double click opens the kernel's page
//     a row inside of a folded group           the same opens the group; Shift+Enter, or "page", the kernel's page
//     a click on a box                         opens it as before, and selects its first row
//
// Law: only the visible rows are drawn, so a table of 100,000 rows costs as much as one of 10; sorting is done once for
// a click.
struct RowsRoom {
  float width = 0, height = 0;  // of the table; 0: there is none
  bool beside = false;
};
[[nodiscard]] RowsRoom rowsRoom(const Figure& figure, float width, float visible);
void rowsTable(const Outcome& seen, CanvasState& state, Pane& pane, const std::string& key, std::size_t index,
               const RowsRoom& room);
// Frames around the boxes of the selected row and of the row under the mouse, and which box is under the mouse.
void markRows(const Figure& figure, Pane& pane, ImVec2 origin, ImVec2 size, std::size_t index);
// Selects the first row of the box of that door.
void selectRowOf(RowsState& rows, const Figure& figure, const FigureDoor& door);

// --- header and bars (figure_header.cpp, mode_bar.cpp) ---------------------------------------------------------------

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
// Whether the figure's modes cannot be assigned to rows and columns: those of a program's picture, and a thread.
[[nodiscard]] bool hasClock(const Figure& figure);    // the player
[[nodiscard]] bool hasSliders(const Figure& figure);  // the player, one specification, or what a thread owns

// --- comparison (compare.cpp) ----------------------------------------------------------------------------------------

// Two pictures of the sheet side by side in place of the column, with a common pan and zoom, or alternating in the same
// place (blink); differences are lit and counted.
//
//     `compare` in the header of one picture, `compare with A` in that of another; Space blinks, Esc closes
//
// Returns true if a comparison is active and was drawn. Ends it if one of the pictures is gone.
[[nodiscard]] bool comparison(Session& session, CanvasState& state, GridTextures& textures,
                              const std::vector<std::string>& keys);
// The button in a picture's header.
void compareButton(CanvasState& canvas, const std::string& key, std::size_t index);

}  // namespace tessera::panes
