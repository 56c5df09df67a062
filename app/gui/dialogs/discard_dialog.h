// discard_dialog: asks before unsaved text is replaced by a new sheet, another file or a gallery copy.
#pragma once

#include <functional>

#include "app/gui/commands.h"

namespace tessera {

// Save and continue (through Save as if there is no file yet), continue without saving, or cancel. Enter saves.
[[nodiscard]] Dialog discardDialog(Session& session, WindowState& state, std::function<void()> action);

}  // namespace tessera
