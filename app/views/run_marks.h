// run_marks: where the window offers to run a program: at every kernel of a program's text, at every run statement, over every picture of
// a program or of a result.
//
//     graphene gemm {                          press              writes, and runs
//       ...
//       %C <- MatMul<<<#g,#t>>>(%A,%B) {   >   the triangle       run gemm          behind the block
//     }
//     run gemm with M=8                    >   the triangle       nothing new: it runs again
//
// A program of several kernels has a triangle each: run gemm spec %C. A statement that is there already is run again and not
// written a second time. Law: pressing changes nothing in the sheet but by adding that one line.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

#include "app/session/session.h"

namespace tessera::panes {

struct RunMark {
  int line = 0;           // from 1
  Statement of;           // a run statement, or what shows or states the program
  std::string statement;  // "run gemm spec %C"
};

// By line, of a snapshot.
[[nodiscard]] std::vector<RunMark> runMarksOf(const Snapshot& snapshot);
// Those that the picture of an outcome offers: one for all of its program, then one a kernel where there are several. None: it is
// no picture of a program or of a run.
[[nodiscard]] std::vector<RunMark> runMarksOf(const Outcome& outcome);
// Runs it: the statement that there is, or a new one.
void takeRun(Session& session, const RunMark& mark);
// The run statement at the caret, else the program there; nothing when there is neither.
[[nodiscard]] std::optional<RunMark> runMarkAt(const Snapshot& snapshot, std::size_t caret);

// The button over a picture.
void runButton(Session& session, const Outcome& outcome, std::size_t index);
// A result as text, CSV or JSON for the clipboard.
void copyResultMenu(const Outcome& outcome, std::size_t index);

// A small triangle that points to the right; lit when the mouse is over it.
void drawRunTriangle(ImDrawList* list, ImVec2 center, float size, bool lit);

}  // namespace tessera::panes
