// dialogs: the path field with a folder listing, the command search, the question before unsaved text goes, the manual.
#pragma once

#include "app/gui/commands.h"

namespace tessera::panes {

void dialogs(Session& session, WindowState& state);

}  // namespace tessera::panes
