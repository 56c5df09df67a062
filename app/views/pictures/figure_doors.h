// figure_doors: clicks and drags in a picture other than hovering and panning (render/figure/figure.h): a click on a
// door opens the linked part in the same pane, and the button "back" returns; a drag over a tile's grid selects that
// tile.
//
//     a click on the box of %fusion.1 in a data flow        the pane shows the reads of %fusion.1
//     a drag over the output of a reads picture             the reads of that tile
//
// Laws: the worksheet's text is unchanged; a drag that starts elsewhere pans the picture.
#pragma once

#include "app/views/pictures/canvas.h"

namespace tessera::panes {

// The door at a position of the figure, in points; or null.
[[nodiscard]] const FigureDoor* doorAt(const Figure& figure, double x, double y);
// The box spanned by two cells of the tile's grid, in the syntax of the view's word: "[0:8,16:32]".
[[nodiscard]] std::string boxOf(const FigureTile& tile, Point a, Point b);

// Shows the part in the pane; does nothing if the outcome has no such part.
void openDoor(PaneView& look, const Outcome& outcome, const FigureDoor& door);

// Handles the mouse over the last item, a picture with doors and a tile. Returns true if it takes the drag; the picture
// then does not pan.
bool pointAtDoors(const Figure& figure, const Outcome& outcome, Pane& pane, ImVec2 origin);

}  // namespace tessera::panes
