#include "app/engine/jobs.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

namespace {
constexpr int kWorkersForAny = 2;
}  // namespace

Job::Progress Job::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

std::string Job::progressText() const {
  if (cancelled()) return "cancelling";
  const Progress now = progress();
  if (!now.running) return "waiting";
  std::string text = now.what.empty() ? "running" : "running: " + now.what;
  if (now.fraction >= 0) text += fmt::format(", {:.0f}%", 100 * std::min(now.fraction, 1.0));
  return text;
}

std::shared_ptr<const Outcome> Job::outcome() const {
  const std::lock_guard lock(mutex_);
  return outcome_;
}

void Job::tell(double fraction, std::string what) {
  const std::lock_guard lock(mutex_);
  progress_ = {true, fraction, std::move(what)};
}

JobRunner::JobRunner(EngineOptions options, std::function<void()> finished, AnswerFunction answer)
    : options_(std::move(options)), finished_(std::move(finished)), answer_(std::move(answer)) {
  for (int k = 0; k <= kWorkersForAny; ++k) workers_.emplace_back([this, k] { return work(/*anyJob=*/k > 0); });
}

JobRunner::~JobRunner() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    for (const auto& job : running_) job->cancel_ = true;
  }
  workers_.clear();
}

std::shared_ptr<Job> JobRunner::submit(Started started) {
  const bool picture = std::holds_alternative<ShowRequest>(started.request);
  const std::shared_ptr<Job> job(new Job(submitted_++, std::move(started)));
  {
    const std::lock_guard lock(mutex_);
    (picture ? pictures_ : others_).emplace(job->number_, job);
  }
  for (Background& worker : workers_) worker.wake();
  return job;
}

void JobRunner::cancel(const std::shared_ptr<Job>& job) {
  bool waiting = false;
  {
    const std::lock_guard lock(mutex_);
    job->cancel_ = true;
    waiting = pictures_.erase(job->number_) + others_.erase(job->number_) > 0;
  }
  if (waiting) finish(*job, cancelledOutcome(std::move(job->started_)));
}

std::shared_ptr<Job> JobRunner::take(bool anyJob) {
  const std::lock_guard lock(mutex_);
  if (stop_ || (pictures_.empty() && (!anyJob || others_.empty()))) return nullptr;
  const bool picture =
      !pictures_.empty() && (!anyJob || others_.empty() || pictures_.begin()->first < others_.begin()->first);
  auto& queue = picture ? pictures_ : others_;
  std::shared_ptr<Job> job = std::move(queue.begin()->second);
  queue.erase(queue.begin());
  running_.push_back(job);
  return job;
}

// Answers one job.
Background::Next JobRunner::work(bool anyJob) {
  const std::shared_ptr<Job> job = take(anyJob);
  if (!job) return std::nullopt;
  job->tell(-1, "");
  const JobContext context{&job->cancel_,
                           [&job](double fraction, std::string what) { job->tell(fraction, std::move(what)); }};
  Outcome outcome = answer_(std::move(job->started_), options_, context);
  {
    const std::lock_guard lock(mutex_);
    std::erase(running_, job);
  }
  finish(*job, std::move(outcome));
  return Background::now();
}

void JobRunner::finish(Job& job, Outcome outcome) {
  {
    const std::lock_guard lock(job.mutex_);
    job.outcome_ = std::make_shared<const Outcome>(std::move(outcome));
  }
  if (finished_) finished_();
}

}  // namespace tessera
