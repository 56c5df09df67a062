// parts: the pieces that drawFrame assembles, one file each. A piece draws itself at a given place and changes the
// session and the window state; pieces do not depend on each other.
//
//     topBar(session, state, screen.x, px(40));
#pragma once

#include "app/gui/commands.h"
#include "app/gui/panes/pane.h"

namespace tessera {

void topBar(Session& session, WindowState& state, float width, float height);
// In a pane, at the cursor.
void galleryPane(Session& session, WindowState& state);
// Claims and problems, with their tally.
void bottomPane(Session& session, WindowState& state, ImVec2 at, ImVec2 size);
// The last message, for a few seconds, at the lower right of the canvas.
void toast(const Session& session, WindowState& state, float right, float bottom);

}  // namespace tessera
