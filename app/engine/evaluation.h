// Evaluation: answers a text in the background.
//
//     evaluation.setText(document.text(), document.revision());   // returns at once; again after every edit
//     evaluation.snapshot()->outcomes                             // what is known so far
//
// Typing never waits: the thread keeps every outcome and every running proof that an edit does not affect
// (LiveDocument): a keystroke in line 40 does not re-prove line 3, and vice versa. Names are evaluated in order on that
// thread. Pictures, proofs and searches are jobs on a few more threads (JobRunner); a slow job blocks no other and can
// be cancelled separately. Results are published as immutable Snapshots. The destructor cancels everything and waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/engine/background.h"
#include "app/engine/engine.h"
#include "app/engine/live_document.h"
#include "app/engine/measure/run_results.h"
#include "app/files/crash_log.h"

namespace tessera {

// The results for one revision of the text. Immutable once published.
struct Snapshot {
  std::uint64_t revision = 0;
  std::string text;
  // One per statement; a pending one has only its statement and its job.
  std::vector<std::shared_ptr<const Outcome>> outcomes;
  bool complete = false;

  struct Count {
    int proved = 0, refuted = 0, unknown = 0, problems = 0, pending = 0, figures = 0;  // of claims, without tasks
    int tasks = 0, solved = 0;
  };
  [[nodiscard]] Count count() const;
};

class Evaluation {
 public:
  // Why a limit: a statement's outcome takes 10 to 25 KB, and every frame visits all of them.
  static constexpr std::size_t kMostStatements = 20'000;

  // beforeText: called on the evaluation thread before a new text is computed, which may crash the process.
  Evaluation(EngineOptions options, AnswerFunction answer, StartFunction start, std::function<void()> beforeText);
  ~Evaluation();

  // Cheap if the revision is unchanged.
  void setText(const std::string& text, std::uint64_t revision);
  void reevaluate();  // discards all results and runs everything, including cancelled statements and kernels
  // Runs a run statement (given by its text), now or, if it is inserted later, then.
  void run(const std::string& statement);
  // Cancels the job of a pending statement of the snapshot, which becomes `unknown: cancelled`; others continue.
  // Returns false if that statement has no job.
  bool cancel(std::size_t outcome);
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;
  [[nodiscard]] bool running() const;
  // Blocks until the text is evaluated or the time is over.
  bool wait(double seconds);
  // Called from the evaluation thread when a snapshot is published (the window posts an empty event).
  void onPublish(std::function<void()> notify);

  [[nodiscard]] RunResults& runs() { return *runs_; }
  // Marks texts being computed or drawn: one that crashes the window is not recomputed by the next.
  [[nodiscard]] CrashLog& crashes() { return crashes_; }

 private:
  class Worker;  // the state of the evaluation thread
  // What the thread has to do.
  struct Wanted {
    std::string text;
    std::uint64_t revision = 0;
    bool forget = false;
    std::vector<std::string> again;       // keys of run statements to run
    Background::Clock::time_point since;  // of the first change that the thread has not seen
  };

  [[nodiscard]] bool isDone() const { return published_->complete && published_->revision == wanted_.revision; }
  void publishStale();
  void changed();
  [[nodiscard]] Started start(const Statement& statement, Scope& scope, const EngineOptions& options);

  CrashLog crashes_;
  const std::shared_ptr<RunResults> runs_;
  const StartFunction start_;
  const std::function<void()> beforeText_;
  mutable std::mutex mutex_;
  std::condition_variable done_;
  std::shared_ptr<const Snapshot> published_;
  Wanted wanted_;
  std::function<void()> notify_;
  std::atomic<bool> leaving_{false};    // also ends the evaluation of a statement
  std::atomic<bool> interrupt_{false};  // there is newer text: stop evaluating this one
  // Jobs wake the thread, and the worker, which is called by the thread, submits jobs.
  Background thread_;
  JobRunner jobs_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace tessera
