// Session: the state of the window, without the window. Views read it; commands change it.
//
//     session.open("gemm.tess");
//     session.document().replace(0, 1, "B");        // an edit
//     session.touch();                              // after any change: restarts the evaluation
//     session.evaluation().snapshot()->outcomes     // what is known so far
//
// It owns the Document, its journal (SheetStore), its Evaluation in the background and the results of its runs, and
// stores what is hovered, pinned and lit. All functions are called from the window's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/evaluation.h"
#include "app/session/preferences.h"
#include "app/session/sheet_store.h"
#include "app/session/task_help.h"
#include "render/ink/ink.h"

namespace tessera {

// The cell under the mouse.
struct Hover {
  Point point;
  std::size_t outcome = 0;  // whose figure
  std::string grid;
  i64 row = 0, col = 0;
  std::string label;
  std::shared_ptr<const Outcome> seen;  // the outcome as displayed in its pane
  std::vector<Point> points = {};       // all points of the cell, `point` first
  bool operator==(const Hover&) const = default;
};

// The sheet's file differs from what this window read or wrote: which text should be kept?
struct DiskQuestion : DiskLook {  // Changed, Deleted or Unreadable
  bool saving = false;            // raised by an attempt to save
  std::string path;
  bool shown = false;  // the window has displayed it
};

class Session {
 public:
  // answer, start: replaceable for tests.
  explicit Session(EngineOptions options = {}, AnswerFunction answer = answered, StartFunction start = startStatement);

  [[nodiscard]] Document& document() { return document_; }
  [[nodiscard]] const Document& document() const { return document_; }
  [[nodiscard]] Evaluation& evaluation() { return evaluation_; }
  [[nodiscard]] const Evaluation& evaluation() const { return evaluation_; }
  // The journals of this and other windows' sheets; it has no folder before keepSheets().
  [[nodiscard]] SheetStore& sheets() { return sheets_; }
  [[nodiscard]] const SheetStore& sheets() const { return sheets_; }

  // Call after any change of the document (cheap if the revision is unchanged): restarts the evaluation.
  void touch();
  // Blocks until the current text is evaluated or the time is up. For tests and --screenshot.
  bool waitUntilEvaluated(double seconds);

  std::optional<Hover> hover;
  std::optional<Hover> pinned;
  [[nodiscard]] const std::optional<Hover>& shown() const { return pinned ? pinned : hover; }
  std::vector<Point> litPoints;     // of the counterexample being shown
  std::vector<Point> pointedClaim;  // of the counterexample under the mouse; set in every frame

  TaskHelp tasks;
  Preferences preferences;
  std::string message;  // the last message to the user
  bool messageIsError = false;
  void tell(std::string text, bool error = false);
  bool fail(const Diag& error);  // shows it and returns false

  void newWorksheet();
  bool open(const std::string& path);
  bool openGallery(const std::string& path);  // as a copy without a path, so that Save asks for one
  void openText(std::string text);            // a sheet from elsewhere, without a path
  void openLesson(std::string text);  // the same, without what its tasks keep; the hints and answers are at hand
  // A learner's sheet. The message says whether its tasks are those of the lesson.
  void openAnswer(std::string lesson, std::string text);
  // Returns false with an error message, or with a diskQuestion: the file was changed by another program.
  bool save();
  bool saveAs(const std::string& path);  // overwrites an existing file: ask first

  // --- the file on disk ---
  // Set until keepMine or takeTheirs, or postponed with reset().
  std::optional<DiskQuestion> diskQuestion;
  // Call when the window gets the focus. Returns true if the file is unchanged, or there is none.
  bool lookAtDisk(bool saving = false);
  bool keepMine();    // also saves, if saving raised the question
  void takeTheirs();  // as an edit, so that undo restores the previous text

  // --- persistent state ---
  // From now on records every change in a journal in the user's state folder (sheet_store.h).
  void keepSheets(Journal::Pace pace = Journal::Pace::Background);
  // On quit: stores the sheet with its history for the next window, and the preferences.
  void storeState();
  // Restores the preferences and the newest sheet that is not open in a window, with unsaved text and history. Returns
  // false if there is no sheet.
  bool restoreState();
  void restorePreferences();
  // Opens a sheet left or lost by another window.
  bool recover(const std::string& id);

 private:
  void replaced();      // another sheet was opened
  void warnOfOthers();  // another window has this file open
  void adopt(SheetStore::Taken taken, const StampedFile* disk);
  bool writeTo(const std::string& path);

  Document document_;
  SheetStore sheets_;
  // What is in files of the user's state folder.
  struct Kept {
    bool troubled = false;  // typing is currently not recorded
    Preferences preferences;
    KeptRuns runs;
  };
  Kept kept_;
  Evaluation evaluation_;  // last: its thread uses the other members
};

// JSON of the state for scripts: text, outcomes, hover, pin, message.
[[nodiscard]] std::string dump(const Session& session);

// Each writes files, shows the result as the session's message, and returns false on an error.
// Writes a figure in the format of path's extension.
bool exportFigure(Session& session, const Figure& figure, const std::string& path, const InkOptions& options);
// Writes the questions of the sheet's claims to Z3, as SMT-LIB text: into one file, after a (reset) each, if the path
// ends in ".smt2", otherwise a file each into the folder.
bool exportSmt2(Session& session, const std::string& path);
// The files that it writes: path, text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> smt2Files(const Session& session,
                                                                         const std::string& path);

}  // namespace tessera
