// links: where a link of a worksheet's prose leads, and sheets that are opened from a list.
//
//     [the swizzle](03_swizzle.tess)    the sheet beside this one, else the gallery's lesson
//     [verdicts](manual#Verdicts)       the manual at that section
#pragma once

#include <string>

#include "app/gui/commands.h"

namespace tessera {

// Opens the sheet, asking first when there is text that is not saved. A lesson is opened as a copy without a path.
void openSheet(Session& session, WindowState& state, const std::string& path, bool lesson);
// A link that leads nowhere is said.
void followLink(Session& session, WindowState& state, const std::string& target);

}  // namespace tessera
