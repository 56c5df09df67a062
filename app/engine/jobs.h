// Jobs: requests answered in the background, each with its own cancel flag and progress.
//
//     JobRunner jobs(options, wake);
//     std::shared_ptr<Job> slow = jobs.submit(startStatement(proveLine3, scope));   // Z3 runs for seconds
//     std::shared_ptr<Job> show = jobs.submit(startStatement(showLine4, scope));    // its picture is ready at once
//     slow->progress().what                                                         // "z3"
//     jobs.cancel(slow);                                                            // unknown: cancelled; show runs on
//     show->outcome()                                                               // null until answered
//
// Laws: a job's outcome is that of `answered` for its request, independently of other jobs (except for a proof's time
// budget, since jobs share the cores); once set it does not change. A job cancelled before a worker took it has its
// outcome at once. Destroying the runner cancels every job and waits for its workers: a proof stops within about 20 ms,
// a picture is finished first.
//
// Why three threads: two take any job, oldest first, so that a quick proof can pass a slow one; the third takes only
// pictures, which are short, so that proofs never delay a picture.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/engine/answers.h"
#include "app/engine/background.h"

namespace tessera {

class Job {
 public:
  struct Progress {
    bool running = false;   // taken by a worker
    double fraction = -1;   // 0 to 1; negative: unknown
    std::string what = {};  // "z3", "37 of 120 candidates"
  };
  [[nodiscard]] Progress progress() const;
  // One line: "waiting", "running", "running: z3", "cancelling".
  [[nodiscard]] std::string progressText() const;
  [[nodiscard]] bool cancelled() const { return cancel_; }
  // The answer; null until known.
  [[nodiscard]] std::shared_ptr<const Outcome> outcome() const;

 private:
  friend class JobRunner;
  Job(std::uint64_t number, Started started) : number_(number), started_(std::move(started)) {}
  void tell(double fraction, std::string what);

  const std::uint64_t number_;  // number of jobs submitted before it
  std::atomic<bool> cancel_{false};
  Started started_;  // accessed only by the worker, once one has taken the job
  mutable std::mutex mutex_;
  Progress progress_;
  std::shared_ptr<const Outcome> outcome_;
};

// Answers a request; `answered`, except in tests.
using AnswerFunction = std::function<Outcome(Started, const EngineOptions&, const JobContext&)>;

class JobRunner {
 public:
  // finished: called by a worker (or the cancelling thread) after a job's outcome is set; it must not wait for the
  // runner.
  explicit JobRunner(EngineOptions options, std::function<void()> finished = {}, AnswerFunction answer = answered);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  [[nodiscard]] std::shared_ptr<Job> submit(Started started);
  void cancel(const std::shared_ptr<Job>& job);
  [[nodiscard]] const EngineOptions& options() const { return options_; }

 private:
  [[nodiscard]] Background::Next work(bool anyJob);
  std::shared_ptr<Job> take(bool anyJob);  // the next job; null if there is none
  void finish(Job& job, Outcome outcome);

  EngineOptions options_;
  std::function<void()> finished_;
  AnswerFunction answer_;
  std::mutex mutex_;
  // Waiting jobs, by age; pictures have a separate queue.
  std::map<std::uint64_t, std::shared_ptr<Job>> pictures_, others_;
  std::vector<std::shared_ptr<Job>> running_;
  std::atomic<std::uint64_t> submitted_{0};
  bool stop_ = false;
  std::list<Background> workers_;  // last, because they use the other members
};

}  // namespace tessera
