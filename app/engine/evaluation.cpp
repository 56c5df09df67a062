#include "app/engine/evaluation.h"

#include <chrono>
#include <utility>

#include "core/base/mapped.h"
#include "core/worksheet/programs/run_statement.h"

namespace tessera {
namespace {

EngineOptions forWindow(EngineOptions options, const std::atomic<bool>* leaving,
                        const std::shared_ptr<RunResults>& runs) {
  options.run.results = runs;
  options.prove.exportSmt2 = true;
  options.corrections = options.figures != EngineOptions::Figures::None;
  if (options.figures == EngineOptions::Figures::All) options.figures = EngineOptions::Figures::Bare;
  options.prove.cancel = leaving;
  return options;
}

// Unfinished evaluations are not published for this long: most finish by then, which avoids flicker.
constexpr std::chrono::milliseconds kBurst{25}, kQuiet{40};
constexpr std::chrono::milliseconds kBetweenSnapshots{60};

}  // namespace

Snapshot::Count Snapshot::count() const {
  Count c;
  for (const auto& o : outcomes) {
    c.pending += o->pending;
    c.problems += o->diag.has_value();
    c.figures += o->figure.has_value();
    c.tasks += o->learner.task.has_value();
    c.solved += o->solved();
    if (!o->verdict || o->learner.task) continue;
    c.proved += o->verdict->truth == Truth::Proved;
    c.refuted += o->verdict->truth == Truth::Refuted;
    c.unknown += o->verdict->truth == Truth::Unknown;
  }
  return c;
}

class Evaluation::Worker {
 public:
  explicit Worker(Evaluation& all)
      : all_(all),
        live_(all.jobs_, kMostStatements, [&all](const Statement& statement, Scope& scope, const EngineOptions& how) {
          return all.start(statement, scope, how);
        }) {}

  Background::Next step() {
    if (const Background::Next burst = takeText()) return burst;
    takeAgain();
    unseen_ = live_.collect() || unseen_;
    return evaluate();
  }

 private:
  // Takes new text, if any. A burst of keystrokes becomes one evaluation: returns its end.
  Background::Next takeText() {
    bool forget = false;
    {
      const std::lock_guard lock(all_.mutex_);
      if (all_.wanted_.revision == revision_ && !all_.wanted_.forget) return std::nullopt;
      if (const auto end = all_.wanted_.since + kBurst; Background::now() < end) return end;
      all_.wanted_.since = {};
      forget = std::exchange(all_.wanted_.forget, false);
      text_ = all_.wanted_.text;
      revision_ = all_.wanted_.revision;
      all_.interrupt_ = false;
    }
    all_.beforeText_();
    if (forget) {
      all_.crashes_.forget();
      live_.forget();
    }
    if (!all_.crashes_.empty()) {
      const std::vector<Statement> statements = splitStatements(text_);
      std::vector<std::string_view> texts = mapped<std::string_view>(statements, &Statement::text);
      all_.crashes_.keepOnly(texts);
    }
    live_.setText(text_);
    unseen_ = true;
    quietUntil_ = Background::now() + kQuiet;
    return std::nullopt;
  }

  void takeAgain() {
    std::vector<std::string> again;
    {
      const std::lock_guard lock(all_.mutex_);
      again.swap(all_.wanted_.again);
    }
    unseen_ = unseen_ || !again.empty();
    for (const std::string& key : again) live_.again(key);
  }

  Background::Next evaluate() {
    const auto due = [this] { return Background::now() >= quietUntil_; };
    while (live_.step()) {
      if (all_.interrupt_) return Background::now();
      unseen_ = true;
      if (due()) publish();
      if (Background::turnOver()) return Background::now();
    }
    if (unseen_ && (live_.complete() || due())) publish();
    return unseen_ ? Background::Next(quietUntil_) : std::nullopt;
  }

  void publish() {
    const std::shared_ptr<const Snapshot> snapshot(new Snapshot{revision_, text_, live_.outcomes(), live_.complete()});
    unseen_ = false;
    quietUntil_ = Background::now() + kBetweenSnapshots;
    std::function<void()> notify;
    {
      std::lock_guard lock(all_.mutex_);
      if (all_.wanted_.forget) return;
      all_.published_ = snapshot;
      notify = all_.notify_;
    }
    all_.done_.notify_all();
    if (notify) notify();
  }

  Evaluation& all_;
  LiveDocument live_;
  std::string text_;
  std::uint64_t revision_ = 0;
  bool unseen_ = false;                       // there are results not yet published
  Background::Clock::time_point quietUntil_;  // no unfinished snapshot is published before
};

Evaluation::Evaluation(EngineOptions options, AnswerFunction answer, StartFunction start,
                       std::function<void()> beforeText)
    : runs_(std::make_shared<RunResults>()),
      start_(std::move(start)),
      beforeText_(std::move(beforeText)),
      published_(std::make_shared<Snapshot>()),
      thread_([this] { return worker_->step(); }),
      jobs_(
          forWindow(std::move(options), &leaving_, runs_), [this] { thread_.wake(); },
          [this, answer = std::move(answer)](Started started, const EngineOptions& how, const JobContext& context) {
            const CrashLog::Mark mark(crashes_, started.outcome.statement.text);
            return answer(std::move(started), how, context);
          }),
      worker_(std::make_unique<Worker>(*this)) {}

Evaluation::~Evaluation() {
  leaving_ = interrupt_ = true;
  thread_.stop();
  worker_.reset();  // cancels its jobs, so before jobs_
}

// A statement that crashed a window is not recomputed automatically.
Started Evaluation::start(const Statement& statement, Scope& scope, const EngineOptions& options) {
  if (crashes_.blames(statement.text)) {
    Started refused{{}, {}};
    refused.outcome.statement = statement;
    refused.outcome.diag = Diag{"not computed: an earlier window crashed while computing this", "",
                                "edit the line, or press Ctrl+Enter, to compute it again", statement.span};
    return refused;
  }
  const CrashLog::Mark mark(crashes_, statement.text);
  return start_(statement, scope, options);
}

void Evaluation::setText(const std::string& text, std::uint64_t revision) {
  std::lock_guard lock(mutex_);
  if (wanted_.revision == revision) return;
  wanted_.revision = revision;
  wanted_.text = text;
  changed();
}

// Ends the evaluation of the text before. Requires mutex_.
void Evaluation::changed() {
  interrupt_ = true;
  if (wanted_.since == Background::Clock::time_point()) wanted_.since = Background::now();
  thread_.wake();
}

void Evaluation::publishStale() {
  auto stale = std::make_shared<Snapshot>(*published_);
  stale->complete = false;
  published_ = std::move(stale);
}

void Evaluation::reevaluate() {
  std::lock_guard lock(mutex_);
  for (const auto& o : published_->outcomes)
    if (o->statement.kind == StatementKind::Run) runs_->ask(runKey(o->statement.text));
  wanted_.forget = true;
  publishStale();
  changed();
}

void Evaluation::run(const std::string& statement) {
  const std::string key = runKey(statement);
  runs_->ask(key);
  std::lock_guard lock(mutex_);
  wanted_.again.push_back(key);
  publishStale();
  thread_.wake();
}

bool Evaluation::cancel(std::size_t outcome) {
  const auto now = snapshot();
  if (outcome >= now->outcomes.size() || !now->outcomes[outcome]->job) return false;
  jobs_.cancel(now->outcomes[outcome]->job);
  return true;
}

std::shared_ptr<const Snapshot> Evaluation::snapshot() const {
  std::lock_guard lock(mutex_);
  return published_;
}

bool Evaluation::running() const {
  std::lock_guard lock(mutex_);
  return !isDone() && wanted_.revision != 0;
}

bool Evaluation::wait(double seconds) {
  if constexpr (!Background::kThreads) {
    const auto end = Background::now() + std::chrono::duration<double>(seconds);
    while (running() && Background::now() < end) Background::takeTurns(std::chrono::milliseconds(100));
    return !running();
  }
  std::unique_lock lock(mutex_);
  return done_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return isDone(); });
}

void Evaluation::onPublish(std::function<void()> notify) {
  std::lock_guard lock(mutex_);
  notify_ = std::move(notify);
}

}  // namespace tessera
