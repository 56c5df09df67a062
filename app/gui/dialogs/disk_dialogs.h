// disk_dialogs: the question when another program has changed the sheet's file, and the list of sheets that other
// windows left or lost.
//
//     $ git checkout other-branch        # the window gets the focus
//     sheet.tess was changed on disk     [Compare] [Keep mine] [Take theirs] [Not now]
#pragma once

#include "app/gui/commands.h"

namespace tessera {

// Asks the session's question about the file, if any. Call once per frame, before the dialogs are drawn.
void diskDialogs(Session& session, WindowState& state);
// The recovered and earlier sheets: opens or discards one.
void askRecovered(Session& session, WindowState& state);

}  // namespace tessera
