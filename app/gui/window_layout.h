// window_layout: where the panes are, from the sizes that the user gave them and the room that there is.
//
//     1600 x 1000      top bar over all; worksheet | pictures | inspector; claims under the last two
//      640 x  400      no inspector: it comes back when the window is larger
//
// Law (tests/gui/scale_test.cpp): at any size and scale the panes that are shown cover the window and do not overlap, and
// a pane that would be too small to read is not shown.
#pragma once

#include <imgui.h>

namespace tessera {

// What the user wants, in points.
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
