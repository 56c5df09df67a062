// player_bar: below the title of a program's picture: the player's clock, and the selected block and thread.
//
//     [|<] [<] [play] [>] [>|]  [4x]    step --o---- 17 of 64    block o---- 0    thread o---- 5
//
// Keys, while the picture has them (ui::Owner::Pictures): left and right step by one, with Ctrl by ten; space plays and
// stops.
#pragma once

#include "app/views/pictures/canvas.h"

namespace tessera::panes {

// Whether these are the modes of a program's picture, which cannot be assigned to rows and columns.
[[nodiscard]] bool hasClock(const Figure& figure);     // the player
[[nodiscard]] bool isOfProgram(const Figure& figure);  // the player, or one specification

void playerBar(PaneView& pane, const Figure& figure, std::size_t index, CanvasState& state);
void playerKeys(PaneView& pane, const Figure& figure);

}  // namespace tessera::panes
