// manual: shows assets/manual.md in the window, followed by all keys and the functions, beside a list of its sections,
// with a search. The palette and links open it at a section.
//
//     "swizzle" Enter Enter     the second line that has the word, in any case
//
// Law (tests/gui/manual_test.cpp): no line is cut at the right edge; manualHits are the lines that have the text.
#pragma once

#include <string>
#include <vector>

#include "app/gui/commands.h"

namespace tessera {

[[nodiscard]] const std::string& manualText();
// The headings, in order, ending with "Keys" and "Functions".
[[nodiscard]] const std::vector<std::string>& manualSections();
// The lines that have the text, in any case.
[[nodiscard]] std::vector<std::size_t> manualHits(const std::string& wanted);
// "" reopens it at the last position.
void openManual(WindowState& state, const std::string& section);

// Every key of the window: the shortcuts of all commands, by menu, and the keys of each pane.
struct KeyRow {
  std::string where, keys, what;
};
[[nodiscard]] std::vector<KeyRow> allKeys();

namespace panes {
void manual(WindowState& state);
}  // namespace panes

}  // namespace tessera
