// links: opens the targets of links in a worksheet's prose, and sheets from lists.
//
//     [the swizzle](03_swizzle.tess)    the sheet in the same folder, else the gallery's lesson
//     [verdicts](manual#Verdicts)       the manual at that section
#pragma once

#include <string>

#include "app/gui/commands.h"

namespace tessera {

// Opens the sheet, asking first if there is unsaved text. A lesson is opened as a copy without a path.
void openSheet(Session& session, WindowState& state, const std::string& path, bool lesson);
// Reports a broken link.
void followLink(Session& session, WindowState& state, const std::string& target);

}  // namespace tessera
