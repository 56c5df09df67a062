// keyboard: determines which part of the window has the keys, from what is open. app/widgets/keyboard.h explains why.
//
// The order, front to back: a question, a path, the palette, the manual, two compared sheets, an open menu, the
// pictures if they were clicked last, the find field, the worksheet. The frontmost open one has the keys; when it
// closes, the next one does.
#pragma once

#include "app/gui/commands.h"
#include "app/widgets/keyboard.h"

namespace tessera {

[[nodiscard]] ui::Owner keyboardOwner(const WindowState& state);
// The same among the parts that dim the window; Owner::None if none is open.
[[nodiscard]] ui::Owner overlay(const WindowState& state);
// Esc: closes the frontmost part and does nothing else. Returns false if nothing is open.
bool closeFront(WindowState& state);

}  // namespace tessera
