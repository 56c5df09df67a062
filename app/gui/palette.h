// palette: Ctrl+K, one field that finds everything. Its entries are data: commands, sheets (recent ones and the
// gallery), names of this worksheet, functions and claims, instructions, views, sections of the manual. Fuzzy matching,
// best first.
//
//     "swiz"    swizzle                        lesson        opens it, asking first if text is unsaved
//               Instructions, banks, swizzles  manual        opens the manual there
//               make_swizzle(B, M, S)          function      inserts it at the caret
#pragma once

#include <string>
#include <vector>

#include "app/gui/commands.h"

namespace tessera {

struct PaletteEntry {
  enum class Kind : unsigned char { Command, Recent, Lesson, Name, Function, Claim, Instruction, View, Manual };
  Kind kind = Kind::Command;
  std::string title;
  std::string detail;                // after the title; searched with less weight
  std::string target;                // a path, a name, a section
  std::string key;                   // widget name: "view.theme", "lesson.swizzle"
  const Command* command = nullptr;  // Command
  std::size_t byte = 0;              // Name: position of its binding
};
[[nodiscard]] const char* name(PaletteEntry::Kind kind);

// The best matches, at most kMostFound. For an empty query: the commands, the recent sheets and the lessons.
inline constexpr std::size_t kMostFound = 60;
[[nodiscard]] std::vector<PaletteEntry> paletteFind(const Session& session, const WindowState& state,
                                                    const std::string& query);

// Executes an entry.
void paletteRun(Session& session, WindowState& state, const PaletteEntry& entry);

namespace panes {
// Draws the field and the matches, with kinds on the right. Enter runs the marked entry.
void palette(Session& session, WindowState& state);
}  // namespace panes

}  // namespace tessera
