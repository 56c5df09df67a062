// keyboard: which part of the window has the keys, read off what is open. app/widgets/keyboard.h says why.
//
// The list from the top: a question, a path, the palette, the manual, two compared sheets, an open menu, the pictures if they were
// clicked last, the find field, the worksheet. What is
// in front has the keys, and when it goes the next in the list has them.
#pragma once

#include "app/gui/commands.h"
#include "app/widgets/keyboard.h"

namespace tessera {

[[nodiscard]] ui::Owner keyboardOwner(const WindowState& state);
// The same, of the parts that dim all behind them: Nobody when there is none.
[[nodiscard]] ui::Owner overlay(const WindowState& state);
// Esc: closes what is in front and does nothing else. False when nothing is open.
bool closeFront(WindowState& state);

}  // namespace tessera
