// LiveDocument: a worksheet that is edited while it is being answered. Statements are evaluated in order on the calling
// thread; their requests become jobs (jobs.h). An edit keeps everything that it does not affect, running proofs
// included.
//
//     1  A = (4,8):(8,1)            value at once
//     2  prove bijective(A) by z3   a job
//     3  show A as grid             a job; its picture appears while line 2 still runs
//     4  V = injective(A)           a job; V is awaited
//     5  show V                     waits for line 4, because it mentions V; other lines are evaluated at once
//
// Editing line 3 cancels its job. Editing line 1 cancels the jobs of lines 2 to 4, which read A. Inserting a line above
// cancels none.
//
// A statement is kept according to what it read (Scope::Trace), not its position: the same text reading the same
// bindings has the same outcome, because evaluation is pure.
//
// Law: for any edits and any scheduling of jobs, once complete() the outcomes equal those of runDocument on the last
// text, statement by statement, except for cancelled statements, statements that read them, and those beyond the limit.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/jobs.h"

namespace tessera {

// Evaluates a statement; `startStatement` by default.
using StartFunction = std::function<Started(const Statement&, Scope&, const EngineOptions&)>;

// Not thread-safe.
class LiveDocument {
 public:
  // Only the first mostStatements are run; an error replaces the last of them if there are more.
  explicit LiveDocument(JobRunner& jobs, std::size_t mostStatements = kMaxStatements,
                        StartFunction start = startStatement)
      : jobs_(jobs), mostStatements_(mostStatements), start_(std::move(start)) {}
  ~LiveDocument() { forget(); }
  LiveDocument(const LiveDocument&) = delete;
  LiveDocument& operator=(const LiveDocument&) = delete;

  // Splits the text and determines what can be kept, without evaluating. May be called before the last text is
  // complete.
  void setText(std::string_view text);
  // Keeps or evaluates the next statement; returns false if all were visited.
  bool step();
  // Takes finished answers; returns false if there are none. Statements that waited for them are visited again: call
  // step until it returns false.
  bool collect();
  // Every outcome is known.
  [[nodiscard]] bool complete() const { return next_ == entries_.size() && running_ == 0 && waiting_ == 0; }
  // Discards the results of run statements with this key (runKey): calling step until it returns false runs them again.
  void again(const std::string& key);
  // Cancels every job and keeps nothing; the next setText evaluates everything.
  void forget();

  // One per statement, in order; a pending one has only the statement and its job.
  [[nodiscard]] std::vector<std::shared_ptr<const Outcome>> outcomes();

 private:
  struct Entry {
    Statement statement;  // at its current position
    bool evaluated = false;
    Scope::Trace trace;                      // of its evaluation; writes include the name bound by its answer
    std::string awaited;                     // name that its job will bind
    std::shared_ptr<Job> job;                // of its request, until its answer is taken
    std::shared_ptr<const Outcome> outcome;  // null while pending
    std::shared_ptr<const Outcome> pending;  // returned by outcomes() until then
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
  std::vector<std::size_t> open_;  // every entry with a job, and possibly some that had one
  Scope scope_;                    // state before entry next_
  std::size_t next_ = 0;
  std::size_t running_ = 0;  // entries with a job
  std::size_t waiting_ = 0;  // entries that read an awaited name
};

}  // namespace tessera
