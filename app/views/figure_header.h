// figure_header: the lines over a picture: its title, its subtitle, its buttons and menus, and its badges.
#pragma once

#include "app/views/canvas.h"

namespace tessera::panes {

// `asked`: the outcome as its line says it; `o`: as the pane shows it.
void header(Session& session, const Outcome& o, const Outcome& asked, std::size_t index, CanvasState& state, Pane& pane,
            float width);

// The picture's badges, at the size of text whatever the picture's scale is.
void badgeRow(const Figure& figure, Theme theme, GridTextures& textures, float width);

}  // namespace tessera::panes
