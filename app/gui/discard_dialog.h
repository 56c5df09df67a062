// discard_dialog: asked when text that is not saved is about to be replaced: by a new sheet, another file, a gallery copy.
#pragma once

#include <functional>

#include "app/gui/commands.h"

namespace tessera {

// Save, then go on (through Save as when there is no file yet); go on without; or neither. Enter saves.
[[nodiscard]] Dialog discardDialog(Session& session, WindowState& state, std::function<void()> action);

}  // namespace tessera
