// column: how the column of pictures scrolls, and whose a turn of the wheel is.
//
// The wheel scrolls the column, whatever it is over. A picture takes it with Ctrl, or once it was clicked (focused);
// with Shift, or from a wheel that turns sideways, it takes what pans. Whoever got the first click of a turn keeps the
// turn: a picture or a slider that slides under the mouse while the column scrolls does not take over.
//
//     wheel over a picture                 the column scrolls, 96 points a click, gliding
//     Ctrl + wheel over a picture          the picture grows or shrinks at the mouse
//     wheel over the focused picture       the same
//     Shift + wheel over a wide picture    it pans sideways; over one that fits, the column scrolls
#pragma once

#include <imgui.h>

namespace tessera::panes {

struct ColumnScroll {
  double target = 0;
  bool moving = false;
  double wheelAt = -10;  // when the wheel turned last, in ImGui's seconds
  bool mine = false;     // the turn that goes on is the column's
  float turned = 0;      // clicks of this frame that the column has taken already
  bool keys = false;     // it was clicked last: the keyboard is its own
};

// In the column's child window, before its pictures: takes the wheel from them when the turn is the column's.
void beginColumn(ColumnScroll& scroll);
// After them: what nobody took scrolls, and so do PageUp, PageDown, Home and End when the column has the keyboard.
// True while it glides: the next frame must come soon.
[[nodiscard]] bool endColumn(ColumnScroll& scroll);
// The wheel of this frame is used up.
void takeWheel();

}  // namespace tessera::panes
