// palette_entries: everything that Ctrl+K finds, as data: commands, sheets (recent ones and the gallery), names of this
// worksheet, functions and claims, instructions, views, sections of the manual. Fuzzy, the most telling first.
//
//     "swiz"    swizzle                        lesson        opens it, asking first when text is not saved
//               Instructions, banks, swizzles  manual        opens the manual there
//               make_swizzle(B, M, S)          function      goes to the caret
#pragma once

#include <string>
#include <vector>

#include "app/gui/commands.h"

namespace tessera {

struct PaletteEntry {
  enum class Kind : unsigned char { Command, Recent, Lesson, Name, Function, Claim, Instruction, View, Manual };
  Kind kind = Kind::Command;
  std::string title;
  std::string detail;                // behind the title, searched with less weight
  std::string target;                // a path, a name, a section
  std::string key;                   // for the register of widgets: "view.theme", "lesson.swizzle"
  const Command* command = nullptr;  // Command
  std::size_t byte = 0;              // Name: where it is bound
};
[[nodiscard]] const char* name(PaletteEntry::Kind kind);

// The best matches, at most kMostFound. Nothing typed: the commands, the recent sheets and the lessons.
inline constexpr std::size_t kMostFound = 60;
[[nodiscard]] std::vector<PaletteEntry> paletteFind(const Session& session, const WindowState& state,
                                                    const std::string& query);

// Does what the entry stands for.
void paletteRun(Session& session, WindowState& state, const PaletteEntry& entry);

}  // namespace tessera
