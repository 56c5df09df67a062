// panel: the centred sheet that every dialog stands on.
#pragma once

#include "app/gui/commands.h"

namespace tessera::panes {

// width in points, top as a share of the window's height. ImGui::End() follows, whatever it returns.
bool beginPanel(const char* name, float width, float top);
// A line of explanation.
void muted(const char* words);

void pathDialog(Session& session, WindowState& state);
void discardDialog(WindowState& state);
void palette(Session& session, WindowState& state);
void manual(WindowState& state);

}  // namespace tessera::panes
