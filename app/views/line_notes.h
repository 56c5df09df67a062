// line_notes: what is known about each line of the worksheet, as the editor shows it: its sign, its value, the message
// below it. While newer text is being evaluated the notes of the old text are carried over: those behind the edit move
// with their lines, the one that is being typed in keeps its message, so that nothing jumps at a keystroke.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "app/session/session.h"
#include "app/widgets/ui.h"

namespace tessera::panes {

struct LineNote {
  std::optional<ui::Sign> sign;
  std::string value;  // whole; on one line, but for a text of several lines (code, a table)
  std::string card;   // message under the line
  Role cardRole = Role::Refuted;
  Span underline;  // in the text that is shown
};

// The notes of statements that the last snapshot had, too: a value is printed once, not at every keystroke.
using NoteCache = std::unordered_map<std::shared_ptr<const Outcome>, LineNote>;

// By line, from 1. The cache holds this snapshot's notes afterwards.
[[nodiscard]] std::map<int, LineNote> notesOf(const Snapshot& snapshot, NoteCache& cache);
// The notes of snapshot.text, for `text` that was made from it by one edit.
[[nodiscard]] std::map<int, LineNote> carriedOver(std::map<int, LineNote> notes, const Snapshot& snapshot,
                                                  std::string_view text);

// At most n bytes, in one line, an ellipsis at the end when something is missing.
[[nodiscard]] std::string shortened(std::string s, std::size_t n);

}  // namespace tessera::panes
