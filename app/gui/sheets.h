// sheets: replaces the window's sheet by another one, asking first if there is unsaved text; and the links that do it.
//
//     [the swizzle](03_swizzle.tess)    the sheet in the same folder, else the gallery's lesson
//     [verdicts](manual#Verdicts)       the manual at that section
#pragma once

#include <functional>
#include <string>

#include "app/gui/commands.h"

namespace tessera {

// After the text was replaced: scrolls to the start, clears the selection, and gives the worksheet the keyboard.
void showSheet(const Session& session, WindowState& state);
// Runs an action that replaces the document, after asking if there are unsaved changes.
void guarded(Session& session, WindowState& state, std::function<void()> action);
// Opens the sheet, asking first. A lesson is opened as a copy without a path.
void openSheet(Session& session, WindowState& state, const std::string& path, bool lesson);
// Reports a broken link.
void followLink(Session& session, WindowState& state, const std::string& target);

}  // namespace tessera
