// window_layout: positions of the panes, from the user's sizes and the available room.
//
//     1600 x 1000      top bar over all; worksheet | pictures | inspector; claims under the last two
//      640 x  400      no inspector until the window is larger
//
// Law (tests/gui/scale_test.cpp): at any size and scale the visible panes cover the window without overlap, and a pane
// that would be too small to read is hidden.
#pragma once

#include <imgui.h>

namespace tessera {

// Preferred sizes, in points.
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

[[nodiscard]] WindowLayout layoutOf(const PaneSizes& wanted, ImVec2 screen, float scale);

}  // namespace tessera
