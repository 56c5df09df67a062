// disk_dialogs: what the window asks when the file of the sheet was changed by somebody else, and the list of sheets that
// other windows left or lost.
//
//     $ git checkout other-branch        # the window gets the focus
//     sheet.tess was changed on disk     [Compare] [Keep mine] [Take theirs] [Not now]
#pragma once

#include "app/gui/commands.h"

namespace tessera {

// Asks what the session wants to know of the disk. Once a frame, before the dialogs are drawn.
void diskDialogs(Session& session, WindowState& state);
// The recovered and earlier sheets: open one of them, or forget it.
void askRecovered(Session& session, WindowState& state);

}  // namespace tessera
