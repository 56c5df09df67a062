// Jobs: requests that are answered in the background, each with its own cancel flag and progress.
//
//     JobRunner jobs(options, wake);
//     std::shared_ptr<Job> slow = jobs.submit(startStatement(proveLine3, scope));    // Z3 thinks for seconds
//     std::shared_ptr<Job> show = jobs.submit(startStatement(showLine4, scope));     // its picture is there at once
//     slow->progress().what                                                          // "z3"
//     jobs.cancel(slow);                                                             // unknown: cancelled; show stands
//     show->outcome()                                                                // null until it is answered
//
// Laws: a job's outcome is what `answered` makes of its request, whatever the other jobs do (but for a proof's budget
// of time: the jobs share the cores); once there it stays. A job that is cancelled before a worker took it has its
// outcome at once. Destroying the runner cancels every job and waits for its workers: a proof notices within about
// 20 ms, a picture is finished first.
//
// Why three threads: two take any job, the oldest first, so that a quick proof has a way around one slow one; the third
// takes nothing but pictures, which are short, so that no number of proofs keeps a picture waiting.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/engine/answers.h"

namespace tessera {

class Job {
 public:
  struct Progress {
    bool running = false;   // a worker has it
    double fraction = -1;   // 0 to 1; negative: nobody knows
    std::string what = {};  // "z3", "37 of 120 candidates"
  };
  [[nodiscard]] Progress progress() const;
  // One line: "waiting", "running", "running: z3", "cancelling".
  [[nodiscard]] std::string progressText() const;
  [[nodiscard]] bool cancelled() const { return cancel_; }
  // The answer; null until it is known.
  [[nodiscard]] std::shared_ptr<const Outcome> outcome() const;

 private:
  friend class JobRunner;
  Job(std::uint64_t number, Started started) : number_(number), started_(std::move(started)) {}
  void tell(double fraction, std::string what);

  const std::uint64_t number_;  // how many were submitted before it
  std::atomic<bool> cancel_{false};
  Started started_;  // the worker's alone, once one has taken the job
  mutable std::mutex mutex_;
  Progress progress_;
  std::shared_ptr<const Outcome> outcome_;
};

// What answers a request; `answered` unless a test brings its own.
using AnswerFunction = std::function<Outcome(Started, const EngineOptions&, const JobContext&)>;

class JobRunner {
 public:
  // finished: called by a worker (or by who cancels) after a job's outcome is known; it must not wait for the runner.
  explicit JobRunner(EngineOptions options, std::function<void()> finished = {}, AnswerFunction answer = answered);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  [[nodiscard]] std::shared_ptr<Job> submit(Started started);
  void cancel(const std::shared_ptr<Job>& job);
  [[nodiscard]] const EngineOptions& options() const { return options_; }

 private:
  void work(bool anyJob);
  std::shared_ptr<Job> take(bool anyJob);  // the next one; null when it is time to go
  void finish(Job& job, Outcome outcome);

  EngineOptions options_;
  std::function<void()> finished_;
  AnswerFunction answer_;
  std::mutex mutex_;
  std::condition_variable wake_;
  // What waits, by age; pictures have a queue of their own.
  std::map<std::uint64_t, std::shared_ptr<Job>> pictures_, others_;
  std::vector<std::shared_ptr<Job>> running_;
  std::atomic<std::uint64_t> submitted_{0};
  bool stop_ = false;
  std::vector<std::jthread> workers_;  // last: they use the rest
};

}  // namespace tessera
