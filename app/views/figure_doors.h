// figure_doors: what a click or a drag in a picture asks for besides light and another place (render/figure/figure.h): a door opens the
// part that it leads to in the same pane, and the pane's button "back" goes back; a drag over a tile's grid shows that tile.
//
//     a click on the box of %fusion.1 in a data flow        the pane shows what %fusion.1 reads
//     a drag over the output of a reads picture             what that tile reads
//
// Laws: the worksheet's text stays; a drag that begins elsewhere moves the picture as ever.
#pragma once

#include "app/views/canvas.h"

namespace tessera::panes {

// The door under a place of the figure, in points; null: none.
[[nodiscard]] const FigureDoor* doorAt(const Figure& figure, double x, double y);
// The box that two cells of the tile's grid span, as the view's word has it: "[0:8,16:32]". Points of the grid.
[[nodiscard]] std::string boxOf(const FigureTile& tile, Point a, Point b);

// The part is shown instead of what the pane shows; nothing when the outcome has no such part.
void openDoor(PaneView& look, const Outcome& outcome, const FigureDoor& door);

// The mouse over the last item, which is the picture: its doors and its tile. True when the drag is taken: the picture does not move.
bool pointAtDoors(const Figure& figure, const Outcome& outcome, Pane& pane, ImVec2 origin);

}  // namespace tessera::panes
