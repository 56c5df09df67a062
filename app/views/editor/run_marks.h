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
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

#include "app/session/session.h"

namespace tessera::panes {

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
