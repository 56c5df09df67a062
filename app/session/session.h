// Session: the state of the window, without the window. Views read it; commands change it.
//
// It owns the Document, evaluates it in the background, and stores what is hovered, pinned and lit. Typing never waits:
// an edit increments the revision, and the evaluation thread keeps every outcome and every running proof that the edit
// does not affect (LiveDocument), so a keystroke in line 40 does not re-prove line 3, nor one in line 3 line 40. Names
// are evaluated in order on that thread; pictures, proofs and searches are jobs on a few more (JobRunner): a slow one
// blocks no other and can be cancelled separately. All functions are called from the window's thread; immutable
// Snapshots are published. The destructor cancels everything and waits for it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/engine/engine.h"
#include "app/engine/live_document.h"
#include "app/engine/measure/run_results.h"
#include "app/files/crash_log.h"
#include "app/session/document.h"
#include "app/session/preferences.h"
#include "app/session/sheet_store.h"
#include "render/figure/palette.h"
#include "render/ink/ink.h"

namespace tessera {

// The results for one revision of the text. Immutable once published.
struct Snapshot {
  std::uint64_t revision = 0;
  std::string text;
  // One per statement; a pending one has only its statement and its job.
  std::vector<std::shared_ptr<const Outcome>> outcomes;
  bool complete = false;

  struct Count {
    int proved = 0, refuted = 0, unknown = 0, problems = 0, pending = 0, figures = 0;
  };
  [[nodiscard]] Count count() const;
};

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
struct DiskQuestion {
  DiskLook::What what = DiskLook::What::Changed;  // or Deleted, or Unreadable
  bool saving = false;                            // raised by an attempt to save
  std::string path, theirs;                       // `theirs`: the file's text now
  FileStamp stamp;
  std::string why;     // for Unreadable
  bool shown = false;  // the window has displayed it
};

class Session {
 public:
  // Why a limit: a statement's outcome takes 10 to 25 KB, and every frame visits all of them.
  static constexpr std::size_t kMostStatements = 20'000;

  // answer, start: replaceable for tests.
  explicit Session(EngineOptions options = {}, AnswerFunction answer = answered, StartFunction start = startStatement);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Document& document() { return document_; }
  [[nodiscard]] const Document& document() const { return document_; }
  // Call after any change of the document (cheap if the revision is unchanged): restarts the evaluation.
  void touch();
  void reevaluate();  // discards all results and runs everything, including cancelled statements and kernels
  // Runs a run statement (given by its text), now or, if it is inserted later, then.
  void run(const std::string& statement);
  // Cancels the job of a pending statement of the snapshot, which becomes `unknown: cancelled`; others continue.
  // Returns false if that statement has no job.
  bool cancel(std::size_t outcome);
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;
  [[nodiscard]] bool evaluating() const;
  // Blocks until the current text is evaluated or the time is over. For tests and --screenshot.
  bool waitUntilEvaluated(double seconds);
  // Called from the evaluation thread when a snapshot is published (the window posts an empty event).
  void onPublish(std::function<void()> notify);

  std::optional<Hover> hover;
  std::optional<Hover> pinned;
  [[nodiscard]] const std::optional<Hover>& shown() const { return pinned ? pinned : hover; }
  std::vector<Point> litPoints;     // of the counterexample being shown
  std::vector<Point> pointedClaim;  // of the counterexample under the mouse; set in every frame

  Theme theme = Theme::Dark;
  double uiScale = 1;
  std::string message;  // the last message to the user
  bool messageIsError = false;
  void tell(std::string text, bool error = false);

  void newWorksheet();
  bool open(const std::string& path);
  bool openGallery(const std::string& path);  // as a copy without a path, so that Save asks for one
  // Returns false with an error message, or with a diskQuestion: the file was changed by another program.
  bool save();
  bool saveAs(const std::string& path);  // overwrites an existing file: ask first
  // Writes the figure of an outcome in the format of path's extension.
  bool exportFigure(std::size_t outcome, const std::string& path);
  // The same for any figure.
  bool exportFigure(const Figure& figure, const std::string& path, const InkOptions& options);
  // Writes every obligation given to a solver into the folder.
  bool exportSmt2(const std::string& folder);

  // --- the file on disk (disk.cpp) ---
  // Set until keepMine or takeTheirs, or postponed with reset().
  std::optional<DiskQuestion> diskQuestion;
  // Call when the window gets the focus. Returns true if the file is unchanged, or there is none.
  bool lookAtDisk(bool saving = false);
  bool keepMine();    // also saves, if saving raised the question
  void takeTheirs();  // as an edit, so that undo restores the previous text

  // --- persistent state (state.cpp) ---
  // From now on records every change in a journal in the user's state folder (sheet_store.h).
  void keepSheets(Journal::Pace pace = Journal::Pace::Background);
  // On quit: stores the sheet with its history for the next window, and the preferences.
  void storeState();
  // Restores the preferences and the newest sheet that is not open in a window, with unsaved text and history. Returns
  // false if there is no sheet.
  bool restoreState();
  void restorePreferences();
  // Sheets left or lost by other windows.
  [[nodiscard]] std::vector<SheetStore::Sheet> recoverable() const;
  // Sheets open in other windows, and the text of any, for reading.
  [[nodiscard]] std::vector<SheetStore::Sheet> sheetsInOtherWindows() const;
  [[nodiscard]] std::optional<std::string> textOfSheet(const std::string& id) const;
  bool recover(const std::string& id);
  void forget(const std::string& id);
  [[nodiscard]] bool keepsSheets() const { return sheets_ != nullptr; }
  SheetStore* sheets() { return sheets_.get(); }
  std::map<std::string, double> paneSizes;  // stored with the preferences

  // Marks texts being computed or drawn: one that crashes the window is not recomputed by the next.
  CrashLog& crashes() { return crashes_; }

  // JSON of the state for scripts: text, outcomes, hover, pin, message.
  [[nodiscard]] std::string dump() const;

  struct GalleryItem {
    std::string path, title, about;
  };
  [[nodiscard]] static std::vector<GalleryItem> gallery();
  [[nodiscard]] static std::vector<GalleryItem> templates();  // the Graphene programs of the library
  [[nodiscard]] static std::string assetsFolder();

 private:
  void letGo();  // clears hover, pin and lights
  // The results of runs are stored beside the sheet (kept_runs.cpp).
  [[nodiscard]] std::string runsPath() const;
  void loadRuns();
  void keepRuns();
  void adopt(SheetStore::Taken taken, const StampedFile* disk);
  bool writeTo(const std::string& path);
  void tellProblems();
  [[nodiscard]] Preferences preferences() const;
  void work(std::stop_token stop);
  [[nodiscard]] bool newText() const;
  bool waitForWork(const std::stop_token& stop);
  void takeText(const std::stop_token& stop, LiveDocument& live);
  [[nodiscard]] Started start(const Statement& statement, Scope& scope, const EngineOptions& options);
  void takeAgain(LiveDocument& live);
  void evaluate(LiveDocument& live);
  void publish(LiveDocument& live);

  Document document_;
  std::unique_ptr<SheetStore> sheets_;
  CrashLog crashes_;
  const StartFunction start_;
  bool troubled_ = false;  // typing is currently not recorded
  Preferences preferencesRead_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_, done_;
  std::shared_ptr<const Snapshot> published_;
  std::string wanted_;
  std::uint64_t wantedRevision_ = 0;
  bool forget_ = false;
  std::vector<std::string> again_;      // keys of run statements to run
  bool answered_ = false;               // a job has finished since the last check
  std::atomic<bool> leaving_{false};    // also ends the evaluation of a statement
  std::atomic<bool> interrupt_{false};  // there is newer text: stop evaluating this one
  std::function<void()> notify_;
  // Accessed by the evaluation thread only.
  std::string doingText_;
  std::uint64_t doing_ = 0;
  bool unseen_ = false;                               // there are results not yet published
  std::chrono::steady_clock::time_point quietUntil_;  // no unfinished snapshot is published before
  std::shared_ptr<RunResults> runs_;
  std::string runsAt_;             // the file that the results were read from or written to
  std::uint64_t runsWritten_ = 0;  // their revision at that time
  std::string runsProblem_;        // why that failed, if already reported
  JobRunner jobs_;
  std::jthread worker_;  // last: stops before the other members are destroyed
};

}  // namespace tessera
