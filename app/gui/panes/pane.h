// pane: a fixed rectangle of the window and the strip of tabs along its upper edge.
//
//     beginPane("##left", at, size, Role::Panel);
//     Strip strip(size.x);
//     if (ui::tab(...)) ...
//     strip.end();
//     ...
//     endPane();
#pragma once

#include <imgui.h>

#include "app/widgets/ui.h"

namespace tessera {

inline constexpr ImGuiWindowFlags kFixed =
    ui::kStill | ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoCollapse;

// Role::None: the background of the canvas.
void beginPane(const char* name, ImVec2 at, ImVec2 size, Role background);
void endPane();

// The tab strip of a pane, with a hairline below; leaves the cursor below it.
struct Strip {
  ImVec2 origin;
  float width;
  explicit Strip(float w) : origin(ImGui::GetCursorScreenPos()), width(w) {
    ImGui::SetCursorScreenPos({origin.x + ui::px(14), origin.y});
  }
  static void gap() { ImGui::SameLine(0, ui::px(18)); }
  void end() const {
    ImGui::GetWindowDrawList()->AddLine({origin.x, origin.y + ui::px(34)}, {origin.x + width, origin.y + ui::px(34)},
                                        ui::color(Role::Hairline));
    ImGui::SetCursorScreenPos({origin.x, origin.y + ui::px(35)});
  }
};

}  // namespace tessera
