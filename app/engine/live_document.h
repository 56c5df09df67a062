// LiveDocument: a worksheet that is edited while it is being answered. Statements are evaluated in order, on the thread
// that calls; their requests become jobs (jobs.h); an edit keeps whatever it does not touch, running proofs included.
//
//     1  A = (4,8):(8,1)            value at once
//     2  prove bijective(A) by z3   a job
//     3  show A as grid             a job; its picture is there while line 2 still runs
//     4  V = injective(A)           a job; V is awaited
//     5  show V                     waits for line 4, because it mentions V; a line that does not is evaluated at once
//
//     an edit of line 3 cancels the job of line 3; an edit of line 1 those of 2 to 4, which read A; a new line 0 none
//
// What is kept is decided by what a statement read (Scope::Trace), never by where it stands: the same text that reads
// the same bindings has the same outcome, because evaluating is pure.
//
// Law: whatever the edits and however the jobs are scheduled, when complete() the outcomes are those of runDocument
// on the last text, statement by statement, but for what was cancelled and what read it, and for what is too many.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/jobs.h"

namespace tessera {

// What evaluates a statement; `startStatement` unless a window has its own.
using StartFunction = std::function<Started(const Statement&, Scope&, const EngineOptions&)>;

// One thread at a time.
class LiveDocument {
 public:
  // What is behind the first mostStatements is not run, and the last of them says so.
  explicit LiveDocument(JobRunner& jobs, std::size_t mostStatements = kMaxStatements,
                        StartFunction start = startStatement)
      : jobs_(jobs), mostStatements_(mostStatements), start_(std::move(start)) {}
  ~LiveDocument() { forget(); }
  LiveDocument(const LiveDocument&) = delete;
  LiveDocument& operator=(const LiveDocument&) = delete;

  // Splits the text and finds what may be kept; nothing is evaluated yet. May be called before the last text is done.
  void setText(std::string_view text);
  // Keeps or evaluates the next statement; false when every one was visited.
  bool step();
  // Takes the answers that have come; false when there are none. What waited for one of them is visited again: step
  // until false.
  bool collect();
  // Every outcome is known.
  [[nodiscard]] bool complete() const { return next_ == entries_.size() && running_ == 0 && waiting_ == 0; }
  // Forgets what the run statements with that key (runKey) said: step until false runs them again.
  void again(const std::string& key);
  // Cancels every job and keeps nothing; setText afterwards evaluates all.
  void forget();

  // One a statement, in order; of a pending one only the statement and its job.
  [[nodiscard]] std::vector<std::shared_ptr<const Outcome>> outcomes();

 private:
  struct Entry {
    Statement statement;  // where it stands now
    bool evaluated = false;
    Scope::Trace trace;                      // of its evaluation; writes: what its answer bound, too
    std::string awaited;                     // the name that its job will bind
    std::shared_ptr<Job> job;                // of its request, until its answer is taken
    std::shared_ptr<const Outcome> outcome;  // null while it is pending
    std::shared_ptr<const Outcome> pending;  // what outcomes() says until then
  };
  void evaluate(Entry& entry, std::size_t index);
  void bind(const Entry& entry);
  [[nodiscard]] bool take(Entry& entry);
  void drop(Entry& entry);
  void visitAgain();

  JobRunner& jobs_;
  const std::size_t mostStatements_;
  const StartFunction start_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> open_;  // every entry with a job, and some that had one
  Scope scope_;                    // what is known before entry next_
  std::size_t next_ = 0;
  std::size_t running_ = 0;  // entries with a job
  std::size_t waiting_ = 0;  // entries that read an awaited name
};

}  // namespace tessera
