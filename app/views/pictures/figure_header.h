// figure_header: the lines above a picture: title, subtitle, buttons and menus, badges.
#pragma once

#include "app/views/pictures/canvas.h"

namespace tessera::panes {

// `asked`: the outcome as its line defines it; `o`: as displayed in the pane.
void header(Session& session, const Outcome& o, const Outcome& asked, std::size_t index, const std::string& key,
            CanvasState& state, Pane& pane, float width);

// The picture's badges, at text size for any picture scale.
void badgeRow(const Figure& figure, Theme theme, GridTextures& textures, float width);

}  // namespace tessera::panes
