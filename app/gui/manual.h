// manual: assets/manual.md in the window, and the functions below it; opened at a section by the palette and by links.
#pragma once

#include <string>
#include <vector>

#include "app/gui/commands.h"

namespace tessera {

[[nodiscard]] const std::string& manualText();
// The headings, in order, "Functions" the last.
[[nodiscard]] const std::vector<std::string>& manualSections();
// "" opens it where it was.
void openManual(WindowState& state, const std::string& section);

}  // namespace tessera
