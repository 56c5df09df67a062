// column: scrolling of the column of pictures, and distribution of the mouse wheel.
//
// By default the wheel scrolls the column, even over a picture. A picture takes it with Ctrl, or after being clicked
// (focused); with Shift, or for horizontal wheels, it takes panning. The receiver of a turn's first click keeps the
// whole turn: a picture or a slider that moves under the mouse while the column scrolls does not take over.
//
//     wheel over a picture                 the column scrolls, 96 points a click, smoothly
//     Ctrl + wheel over a picture          the picture zooms around the mouse
//     wheel over the focused picture       the same
//     Shift + wheel over a wide picture    it pans horizontally; if the picture fits, the column scrolls
#pragma once

#include <imgui.h>

namespace tessera::panes {

struct ColumnScroll {
  double target = 0;
  bool moving = false;
  double wheelAt = -10;  // time of the last wheel event, in ImGui's seconds
  bool mine = false;     // the current turn is the column's
  float turned = 0;      // clicks of this frame already used by the column
  bool keys = false;     // clicked last: has the keyboard
};

// Call in the column's child window, before its pictures: takes the wheel if the turn is the column's.
void beginColumn(ColumnScroll& scroll);
// Call after them: scrolls by the unused wheel, and by PageUp, PageDown, Home and End if the column has the keyboard.
// Returns true while the scroll is animated: request the next frame soon.
[[nodiscard]] bool endColumn(ColumnScroll& scroll);
// Marks the wheel of this frame as used.
void takeWheel();

}  // namespace tessera::panes
