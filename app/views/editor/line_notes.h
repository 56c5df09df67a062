// line_notes: the results of each line as the editor shows them: its sign, its value, the message below it. While newer
// text is being evaluated the old notes are carried over: those after the edit move with their lines, and the line
// being typed in keeps its message, so that nothing jumps on a keystroke.
#pragma once

#include <imgui.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/session/session.h"
#include "app/widgets/ui.h"

namespace tessera::panes {

struct LineNote {
  std::optional<ui::Sign> sign;
  std::string value;  // complete, on one line unless it is a text of several lines (code, a table)
  std::string card;   // message under the line
  Role cardRole = Role::Refuted;
  std::vector<std::string> buttons;  // in the card's last row
  Span underline;                    // in the displayed text
};

[[nodiscard]] inline ui::Sign signOf(Truth truth) { return static_cast<ui::Sign>(truth); }

// Notes of statements from the last snapshot: a value is printed once, not on every keystroke.
using NoteCache = std::unordered_map<std::shared_ptr<const Outcome>, LineNote>;

// By 1-based line. Afterwards the cache contains this snapshot's notes.
[[nodiscard]] std::map<int, LineNote> notesOf(const Snapshot& snapshot, NoteCache& cache);
// The cards of tasks, with the help that was asked for.
void addTaskCards(const Snapshot& snapshot, const TaskHelp& help, std::map<int, LineNote>& notes);
// The notes of snapshot.text, adapted to `text`, which differs from it by one edit.
[[nodiscard]] std::map<int, LineNote> carriedOver(std::map<int, LineNote> notes, const Snapshot& snapshot,
                                                  std::string_view text);

// At most n bytes in one line, with an ellipsis if truncated.
[[nodiscard]] std::string shortened(std::string s, std::size_t n);

// run_marks: the places where the window offers to run a program: every kernel in a program's text, every run
// statement, every picture of a program or of a result.
//
//     graphene gemm {                          clicking           inserts and runs
//       ...
//       %C <- MatMul<<<#g,#t>>>(%A,%B) {   >   the triangle       run gemm          after the block
//     }
//     run gemm with M=8                    >   the triangle       nothing new: it runs again
//
// With several kernels each has a triangle: run gemm spec %C. An existing statement is run again instead of being
// inserted twice.
// Law: clicking changes the sheet by at most that one line.

struct RunMark {
  int line = 0;           // from 1
  Statement of;           // a run statement, or the statement that shows or contains the program
  std::string statement;  // "run gemm spec %C"
};

// By line, for a snapshot.
[[nodiscard]] std::vector<RunMark> runMarksOf(const Snapshot& snapshot);
// The marks for the picture of an outcome: one for the whole program, then one per kernel if there are several. Empty
// if it is not a picture of a program or a run.
[[nodiscard]] std::vector<RunMark> runMarksOf(const Outcome& outcome);
// Runs the existing statement, or inserts a new one.
void takeRun(Session& session, const RunMark& mark);
// The run statement at the caret, else the program there, else nullopt.
[[nodiscard]] std::optional<RunMark> runMarkAt(const Snapshot& snapshot, std::size_t caret);

// The button above a picture.
void runButton(Session& session, const Outcome& outcome, std::size_t index);
// A result as text, CSV or JSON for the clipboard.
void copyResultMenu(const Outcome& outcome, std::size_t index);

// A small triangle pointing right; lit under the mouse.
void drawRunTriangle(ImVec2 center, float size, bool lit);

}  // namespace tessera::panes
