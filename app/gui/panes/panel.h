// panel: the centred sheet of every dialog, above a shade that blocks the mouse.
//
//     shade();
//     if (beginPanel("##path", 620, 0.18F)) { panelTitle("Open"); ... }
//     ImGui::End();
#pragma once

#include <string>

namespace tessera::panes {

// Dims the window and captures its clicks, except those on panels begun later. Returns true if it was clicked.
bool shade();
// width in points, top as a fraction of the window's height; kept within the window. Call ImGui::End() in either case.
bool beginPanel(const char* name, float width, float top);
void panelTitle(const std::string& title);
// A paragraph of explanation.
void muted(const std::string& words);
// An error message; nothing for "".
void panelProblem(const std::string& problem);
// Height of a list in a panel: `wanted` points, if the window has room.
float listHeight(float wanted);

}  // namespace tessera::panes
