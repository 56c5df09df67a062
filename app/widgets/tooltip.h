// tooltip: a word of explanation below the last widget, with the spacing of a card whatever the pane's is.
//
//     if (ImGui::IsItemHovered()) ui::tooltip("what a click writes");
#pragma once

#include <imgui.h>

#include <string_view>

namespace tessera::ui {

void tooltip(std::string_view words);
// Its corner there; to the left and above where there is no room.
void tooltipAt(ImVec2 corner, std::string_view words);

}  // namespace tessera::ui
