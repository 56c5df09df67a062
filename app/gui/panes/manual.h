// manual: shows assets/manual.md in the window, followed by the functions; the palette and links open it at a section.
#pragma once

#include <string>
#include <vector>

#include "app/gui/commands.h"

namespace tessera {

[[nodiscard]] const std::string& manualText();
// The headings, in order, ending with "Functions".
[[nodiscard]] const std::vector<std::string>& manualSections();
// "" reopens it at the last position.
void openManual(WindowState& state, const std::string& section);

namespace panes {
void manual(WindowState& state);
}  // namespace panes

}  // namespace tessera
