// Session: everything the window shows, without the window. Views read it; commands change it.
//
// It owns the Document, evaluates it in the background, and keeps what is hovered, pinned and lit. Typing never waits:
// an edit bumps the revision, and the evaluation thread keeps every outcome and every running proof that the edit does
// not touch (LiveDocument), so a keystroke in line 40 does not re-prove line 3, nor one in line 3 line 40. Names are
// evaluated in order on that thread; pictures, proofs and searches are jobs on a few more (JobRunner): a slow one keeps
// nobody waiting and can be cancelled alone. The window's thread calls everything here; immutable Snapshots are
// published. Leaving cancels all and waits for it.
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
#include "app/engine/run_results.h"
#include "app/files/crash_log.h"
#include "app/session/document.h"
#include "app/session/preferences.h"
#include "app/session/sheet_store.h"
#include "render/figure/palette.h"
#include "render/ink/ink.h"

namespace tessera {

// What is known about one revision of the text. Immutable once published.
struct Snapshot {
  std::uint64_t revision = 0;
  std::string text;
  // One per statement; a pending one has only its statement and the job that will answer it.
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
  std::shared_ptr<const Outcome> seen;  // the outcome as its pane shows it
  std::vector<Point> points = {};       // all that the cell stands for, `point` first
  bool operator==(const Hover&) const = default;
};

// The file of the sheet is no longer what this window read or wrote: which text counts?
struct DiskQuestion {
  DiskLook::What what = DiskLook::What::Changed;  // or Deleted, or Unreadable
  bool saving = false;                            // asked because the sheet was about to be saved
  std::string path, theirs;                       // the file's text now
  FileStamp stamp;
  std::string why;     // of Unreadable
  bool shown = false;  // the window has asked
};

class Session {
 public:
  // Why a bound: what is known of a statement takes 10 to 25 KB, and every frame looks at all of them.
  static constexpr std::size_t kMostStatements = 20'000;

  // answer, start: a test's own way of answering requests and of evaluating statements.
  explicit Session(EngineOptions options = {}, AnswerFunction answer = answered, StartFunction start = startStatement);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Document& document() { return document_; }
  [[nodiscard]] const Document& document() const { return document_; }
  // Call after any change of the document (cheap when the revision has not moved): starts the evaluation again.
  void touch();
  void reevaluate();  // forget what is known and run everything, the cancelled ones and the kernels, too
  // A run statement (its text) runs, again or for the first time; one that is written later runs when it is there.
  void run(const std::string& statement);
  // Ends the job of one pending statement of the snapshot: it becomes `unknown: cancelled`, the others go on. False when
  // that statement has no job.
  bool cancel(std::size_t outcome);
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;
  [[nodiscard]] bool evaluating() const;
  // Blocks until the current text is evaluated, at most so long. For tests and --screenshot.
  bool waitUntilEvaluated(double seconds);
  // Called from the evaluation thread whenever a snapshot is published (the window posts itself an empty event).
  void onPublish(std::function<void()> notify);

  std::optional<Hover> hover;
  std::optional<Hover> pinned;
  [[nodiscard]] const std::optional<Hover>& shown() const { return pinned ? pinned : hover; }
  std::vector<Point> litPoints;     // of a counterexample that was asked to be shown
  std::vector<Point> pointedClaim;  // of the counterexample under the mouse; set anew in every frame

  Theme theme = Theme::Dark;
  double uiScale = 1;
  std::string message;  // the last thing to tell the user
  bool messageIsError = false;
  void tell(std::string text, bool error = false);

  void newWorksheet();
  bool open(const std::string& path);
  bool openGallery(const std::string& path);  // a copy without a path, so that Save asks where
  // False with an error told, or with a diskQuestion: somebody else has changed the file.
  bool save();
  bool saveAs(const std::string& path);  // over whatever other file is there: ask before
  // Writes the figure of an outcome in the ink that path's ending names.
  bool exportFigure(std::size_t outcome, const std::string& path);
  // The same of any figure.
  bool exportFigure(const Figure& figure, const std::string& path, const InkOptions& options);
  // Writes every obligation a solver saw into the folder.
  bool exportSmt2(const std::string& folder);

  // --- the file on disk (disk.cpp) ---
  // Set until it is answered by keepMine or takeTheirs, or put off with reset().
  std::optional<DiskQuestion> diskQuestion;
  // Call when the window gets the focus. True when the file is what it was, or there is none.
  bool lookAtDisk(bool saving = false);
  bool keepMine();    // and saves, when saving was why it was asked
  void takeTheirs();  // as an edit, so that undo brings mine back

  // --- what outlives the process (state.cpp) ---
  // From now on every change goes into a journal in the user's state folder (sheet_store.h).
  void keepSheets(Journal::Pace pace = Journal::Pace::Background);
  // Quitting: the sheet, with its history, comes back with the next window; preferences are written.
  void storeState();
  // Preferences, and the newest sheet that no window has open, with its unsaved text and its history. False when there is
  // no sheet.
  bool restoreState();
  void restorePreferences();
  // Sheets that other windows left or lost.
  [[nodiscard]] std::vector<SheetStore::Sheet> recoverable() const;
  // Those that other windows have open now, and the text of any: to look at.
  [[nodiscard]] std::vector<SheetStore::Sheet> sheetsInOtherWindows() const;
  [[nodiscard]] std::optional<std::string> textOfSheet(const std::string& id) const;
  bool recover(const std::string& id);
  void forget(const std::string& id);
  [[nodiscard]] bool keepsSheets() const { return sheets_ != nullptr; }
  SheetStore* sheets() { return sheets_.get(); }
  std::map<std::string, double> paneSizes;  // kept with the preferences

  // Texts that are being computed or drawn are marked here: one that ends the window is not computed by the next.
  CrashLog& crashes() { return crashes_; }

  // JSON of everything a script wants to check: text, outcomes, hover, pin, message.
  [[nodiscard]] std::string dump() const;

  struct GalleryItem {
    std::string path, title, about;
  };
  [[nodiscard]] static std::vector<GalleryItem> gallery();
  [[nodiscard]] static std::vector<GalleryItem> templates();  // the Graphene programs of the library
  [[nodiscard]] static std::string assetsFolder();

 private:
  void letGo();  // of what is hovered, pinned and lit
  // Results of runs lie beside the sheet (kept_runs.cpp).
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
  bool troubled_ = false;  // typing is not kept just now
  Preferences preferencesRead_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_, done_;
  std::shared_ptr<const Snapshot> published_;
  std::string wanted_;
  std::uint64_t wantedRevision_ = 0;
  bool forget_ = false;
  std::vector<std::string> again_;      // keys of run statements that are to run
  bool answered_ = false;               // a job has finished since the last look
  std::atomic<bool> leaving_{false};    // ends the evaluation of a statement, too
  std::atomic<bool> interrupt_{false};  // there is a newer text: stop evaluating this one
  std::function<void()> notify_;
  // The evaluation thread's alone.
  std::string doingText_;
  std::uint64_t doing_ = 0;
  bool unseen_ = false;                               // something is known that was not published
  std::chrono::steady_clock::time_point quietUntil_;  // an unfinished snapshot is not published before
  std::shared_ptr<RunResults> runs_;
  std::string runsAt_;             // the file that the results were read from, or written to
  std::uint64_t runsWritten_ = 0;  // their revision then
  std::string runsProblem_;        // why that failed, once it is told
  JobRunner jobs_;
  std::jthread worker_;  // last: stops before the rest is destroyed
};

}  // namespace tessera
