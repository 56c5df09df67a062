// pane: a fixed rectangle of the window and the strip of tabs along its upper edge.
//
//     beginPane("##left", area, Role::Panel);
//     Strip strip(area.size.x);
//     if (ui::tab(...)) ...
//     strip.end();
//     ...
//     endPane();
#pragma once

#include <imgui.h>

#include "app/widgets/ui.h"

namespace tessera {

// layoutOf: positions of the panes, from the user's sizes and the available room.
//
//     1600 x 1000      top bar over all; worksheet | pictures | inspector; claims under the last two
//      900 x  600      the same; worksheet and inspector are narrower, so that the pictures have a third
//      640 x  400      no inspector until the window is larger
//
// Law (tests/gui/scale_test.cpp): at any size and scale the visible panes cover the window without overlap, and a pane
// that would be too small to read is hidden.
//
// PaneSizes: preferred sizes, in points.
struct PaneSizes {
  float left = 430, right = 300, bottom = 190;
};

struct Area {
  ImVec2 at{}, size{};
  [[nodiscard]] bool shown() const { return size.x >= 1 && size.y >= 1; }
};

// In pixels.
struct WindowLayout {
  Area top, left, middle, right, bottom;
};

[[nodiscard]] WindowLayout layoutOf(const PaneSizes& preferred, ImVec2 screen, float scale);

inline constexpr ImGuiWindowFlags kFixed =
    ui::kStill | ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoCollapse;

// Role::None: the background of the canvas.
void beginPane(const char* name, const Area& area, Role background);
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
    ui::hairline({origin.x, origin.y + ui::px(34)}, {origin.x + width, origin.y + ui::px(34)});
    ImGui::SetCursorScreenPos({origin.x, origin.y + ui::px(35)});
  }
};

}  // namespace tessera
