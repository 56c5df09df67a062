// panel: the centred sheet that every dialog stands on, over a shade that keeps the mouse from what is behind.
//
//     shade();
//     if (beginPanel("##path", 620, 0.18F)) { panelTitle("Open"); ... }
//     ImGui::End();
#pragma once

#include <string>

namespace tessera::panes {

// Dims the window and takes its clicks, but not those of panels that are begun later. True when it was clicked.
bool shade();
// width in points, top as a share of the window's height; it stays within the window. ImGui::End() follows, whatever it
// returns.
bool beginPanel(const char* name, float width, float top);
void panelTitle(const std::string& title);
// A paragraph of explanation.
void muted(const char* words);
// What went wrong; nothing for "".
void panelProblem(const std::string& problem);
// Height for a list in a panel: as much as it wants, in points, when the window has that.
float listHeight(float wanted);

}  // namespace tessera::panes
