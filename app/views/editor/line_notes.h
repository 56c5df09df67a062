// line_notes: the results of each line as the editor shows them: its sign, its value, the message below it. While newer
// text is being evaluated the old notes are carried over: those after the edit move with their lines, and the line
// being typed in keeps its message, so that nothing jumps on a keystroke.
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
  std::string value;  // complete, on one line unless it is a text of several lines (code, a table)
  std::string card;   // message under the line
  Role cardRole = Role::Refuted;
  Span underline;  // in the displayed text
};

[[nodiscard]] inline ui::Sign signOf(Truth truth) { return static_cast<ui::Sign>(truth); }

// Notes of statements from the last snapshot: a value is printed once, not on every keystroke.
using NoteCache = std::unordered_map<std::shared_ptr<const Outcome>, LineNote>;

// By 1-based line. Afterwards the cache contains this snapshot's notes.
[[nodiscard]] std::map<int, LineNote> notesOf(const Snapshot& snapshot, NoteCache& cache);
// The notes of snapshot.text, adapted to `text`, which differs from it by one edit.
[[nodiscard]] std::map<int, LineNote> carriedOver(std::map<int, LineNote> notes, const Snapshot& snapshot,
                                                  std::string_view text);

// At most n bytes in one line, with an ellipsis if truncated.
[[nodiscard]] std::string shortened(std::string s, std::size_t n);

}  // namespace tessera::panes
