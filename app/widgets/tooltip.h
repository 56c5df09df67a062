// tooltip: an explanation below the last widget, with a card's spacing independent of the pane's.
//
//     if (ImGui::IsItemHovered()) ui::tooltip("text");
#pragma once

#include <imgui.h>

#include <string_view>

namespace tessera::ui {

void tooltip(std::string_view words);
// At this corner; to the left and above if there is no room.
void tooltipAt(ImVec2 corner, std::string_view words);

}  // namespace tessera::ui
