// dialogs: the layers above the window, back to front: compared sheets, the manual, the palette, the path, a question.
#pragma once

#include "app/gui/commands.h"

namespace tessera::panes {

void dialogs(Session& session, WindowState& state);

// app/gui/palette.cpp, manual.cpp
void palette(Session& session, WindowState& state);
void manual(WindowState& state);

}  // namespace tessera::panes
