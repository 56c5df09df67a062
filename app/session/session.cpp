#include "app/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/engine/module/pasted_module.h"
#include "app/engine/program/pasted_program.h"
#include "core/worksheet/statements/run_statement.h"
#include "render/ink/ink.h"

namespace tessera {

Snapshot::Count Snapshot::count() const {
  Count c;
  for (const auto& o : outcomes) {
    c.pending += o->pending;
    c.problems += o->diag.has_value();
    c.figures += o->figure.has_value();
    if (!o->verdict) continue;
    c.proved += o->verdict->truth == Truth::Proved;
    c.refuted += o->verdict->truth == Truth::Refuted;
    c.unknown += o->verdict->truth == Truth::Unknown;
  }
  return c;
}

namespace {

EngineOptions forWindow(EngineOptions options, const std::atomic<bool>* leaving,
                        const std::shared_ptr<RunResults>& runs) {
  options.run.results = runs;
  options.prove.exportSmt2 = true;
  options.prove.cancel = leaving;
  return options;
}

// Unfinished evaluations are not published for this long: most finish by then, which avoids flicker.
constexpr std::chrono::milliseconds kQuiet{40};
constexpr std::chrono::milliseconds kBetweenSnapshots{60};

}  // namespace

Session::Session(EngineOptions options, AnswerFunction answer, StartFunction start)
    : start_(std::move(start)),
      published_(std::make_shared<Snapshot>()),
      runs_(std::make_shared<RunResults>()),
      jobs_(
          forWindow(std::move(options), &leaving_, runs_),
          [this] {
            {
              const std::lock_guard lock(mutex_);
              answered_ = true;
            }
            wake_.notify_all();
          },
          [this, answer = std::move(answer)](Started started, const EngineOptions& how, const JobContext& context) {
            const CrashLog::Mark mark(crashes_, started.outcome.statement.text);
            return answer(std::move(started), how, context);
          }),
      worker_([this](std::stop_token stop) { work(std::move(stop)); }) {}

Session::~Session() {
  document_.onChange({});
  leaving_ = interrupt_ = true;
  worker_.request_stop();
  wake_.notify_all();
}

void Session::touch() {
  tellProblems();
  keepRuns();
  std::lock_guard lock(mutex_);
  if (wantedRevision_ == document_.revision()) return;
  wantedRevision_ = document_.revision();
  wanted_ = document_.text();
  interrupt_ = true;
  wake_.notify_all();
}

void Session::reevaluate() {
  std::lock_guard lock(mutex_);
  for (const auto& o : published_->outcomes)
    if (o->statement.kind == StatementKind::Run) runs_->ask(runKey(o->statement.text));
  forget_ = true;
  wantedRevision_ = document_.revision();
  wanted_ = document_.text();
  auto stale = std::make_shared<Snapshot>(*published_);
  stale->complete = false;
  published_ = std::move(stale);
  interrupt_ = true;
  wake_.notify_all();
}

void Session::run(const std::string& statement) {
  const std::string key = runKey(statement);
  runs_->ask(key);
  std::lock_guard lock(mutex_);
  again_.push_back(key);
  auto stale = std::make_shared<Snapshot>(*published_);
  stale->complete = false;
  published_ = std::move(stale);
  wake_.notify_all();
}

bool Session::cancel(std::size_t outcome) {
  const auto now = snapshot();
  if (outcome >= now->outcomes.size() || !now->outcomes[outcome]->job) return false;
  jobs_.cancel(now->outcomes[outcome]->job);
  return true;
}

std::shared_ptr<const Snapshot> Session::snapshot() const {
  std::lock_guard lock(mutex_);
  return published_;
}

bool Session::evaluating() const {
  std::lock_guard lock(mutex_);
  return !(published_->complete && published_->revision == wantedRevision_) && wantedRevision_ != 0;
}

bool Session::waitUntilEvaluated(double seconds) {
  touch();
  std::unique_lock lock(mutex_);
  return done_.wait_for(lock, std::chrono::duration<double>(seconds),
                        [&] { return published_->complete && published_->revision == wantedRevision_; });
}

void Session::onPublish(std::function<void()> notify) {
  std::lock_guard lock(mutex_);
  notify_ = std::move(notify);
}

// --- the evaluation thread ------------------------------------------------------------------------------------------

void Session::work(std::stop_token stop) {
  LiveDocument live(jobs_, kMostStatements, [this](const Statement& statement, Scope& scope, const EngineOptions& how) {
    return start(statement, scope, how);
  });
  while (waitForWork(stop)) {
    takeText(stop, live);
    takeAgain(live);
    unseen_ = live.collect() || unseen_;
    evaluate(live);
  }
}

bool Session::newText() const { return wantedRevision_ != doing_ || forget_; }

// A statement that crashed a window is not recomputed automatically.
Started Session::start(const Statement& statement, Scope& scope, const EngineOptions& options) {
  if (crashes_.blames(statement.text)) {
    Started refused{{}, {}};
    refused.outcome.statement = statement;
    refused.outcome.diag = Diag{"not computed: an earlier window ended while computing this", "",
                                "edit the line, or press Ctrl+Enter, to compute it again", statement.span};
    return refused;
  }
  const CrashLog::Mark mark(crashes_, statement.text);
  return start_(statement, scope, options);
}

// Returns false to exit.
bool Session::waitForWork(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto something = [this] { return newText() || answered_ || !again_.empty(); };
  if (unseen_) {
    wake_.wait_until(lock, stop, quietUntil_, something);
  } else {
    wake_.wait(lock, stop, something);
  }
  answered_ = false;
  return !stop.stop_requested();
}

void Session::takeText(const std::stop_token& stop, LiveDocument& live) {
  bool forget = false;
  SheetStore* sheets = nullptr;
  {
    std::unique_lock lock(mutex_);
    if (!newText()) return;
    // Combine a burst of keystrokes into one evaluation.
    const std::uint64_t seen = wantedRevision_;
    wake_.wait_for(lock, stop, std::chrono::milliseconds(25), [&] { return wantedRevision_ != seen; });
    forget = std::exchange(forget_, false);
    doingText_ = wanted_;
    doing_ = wantedRevision_;
    interrupt_ = false;
    sheets = sheets_.get();
  }
  if (sheets != nullptr) sheets->settle();  // the following computation may crash the process
  if (forget) {
    crashes_.forget();
    live.forget();
  }
  if (!crashes_.empty()) {
    const std::vector<Statement> statements = splitStatements(doingText_);
    std::vector<std::string_view> texts;
    for (const Statement& statement : statements) texts.push_back(statement.text);
    crashes_.keepOnly(texts);
  }
  live.setText(doingText_);
  unseen_ = true;
  quietUntil_ = std::chrono::steady_clock::now() + kQuiet;
}

void Session::takeAgain(LiveDocument& live) {
  std::vector<std::string> again;
  {
    const std::lock_guard lock(mutex_);
    again.swap(again_);
  }
  for (const std::string& key : again) {
    live.again(key);
    unseen_ = true;
  }
}

void Session::evaluate(LiveDocument& live) {
  const auto due = [this] { return std::chrono::steady_clock::now() >= quietUntil_; };
  while (live.step()) {
    if (interrupt_) return;
    unseen_ = true;
    if (due()) publish(live);
  }
  if (unseen_ && (live.complete() || due())) publish(live);
}

void Session::publish(LiveDocument& live) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->revision = doing_;
  snapshot->text = doingText_;
  snapshot->outcomes = live.outcomes();
  snapshot->complete = live.complete();
  unseen_ = false;
  quietUntil_ = std::chrono::steady_clock::now() + kBetweenSnapshots;
  std::function<void()> notify;
  {
    std::lock_guard lock(mutex_);
    if (forget_) return;
    published_ = std::move(snapshot);
    notify = notify_;
  }
  done_.notify_all();
  if (notify) notify();
}

// --- commands -------------------------------------------------------------------------------------------------------

void Session::tell(std::string text, bool error) {
  message = std::move(text);
  messageIsError = error;
}

void Session::letGo() {
  hover.reset();
  pinned.reset();
  litPoints.clear();
  diskQuestion.reset();
}

void Session::newWorksheet() {
  if (sheets_) sheets_->end(document_, Ended::Replaced);
  document_.reset("");
  letGo();
  loadRuns();
  touch();
}

bool Session::open(const std::string& path) {
  auto file = readStamped(path, Document::kMaxBytes);
  if (!file.ok()) {
    tell(file.error().message, true);
    return false;
  }
  if (path.ends_with(".graphene")) {
    newWorksheet();
    document_.reset(asBlock(blockNameOf(path), file->bytes), {}, /*saved=*/false);
    tell(fmt::format("{} as a block of a new sheet; the file stays as it is", path));
    touch();
    return true;
  }
  if (isModuleFile(path, file->bytes)) {
    newWorksheet();
    document_.reset(asModuleBlock(blockNameOf(path), file->bytes), {}, /*saved=*/false);
    tell(fmt::format("{} as a block of a new sheet; the file stays as it is", path));
    touch();
    return true;
  }
  tell(fmt::format("opened {}", path));
  if (sheets_) sheets_->end(document_, Ended::Replaced);
  auto known = sheets_ ? sheets_->takeFile(path, file->stamp.sum) : std::nullopt;
  if (known) {
    known->state.path = path;
    adopt(*std::move(known), &*file);
  } else {
    document_.open(*std::move(file), path);
  }
  letGo();
  loadRuns();
  touch();
  return true;
}

bool Session::openGallery(const std::string& path) {
  if (path.ends_with(".graphene")) return open(path);
  auto file = readStamped(path, Document::kMaxBytes);
  if (!file.ok()) {
    tell(file.error().message, true);
    return false;
  }
  newWorksheet();
  document_.reset(std::move(file->bytes));
  touch();
  return true;
}

bool Session::exportFigure(std::size_t outcome, const std::string& path) {
  const auto now = snapshot();
  if (outcome >= now->outcomes.size() || !now->outcomes[outcome]->figure) {
    tell("there is no picture to export", true);
    return false;
  }
  InkOptions options;
  options.theme = theme;
  return exportFigure(*now->outcomes[outcome]->figure, path, options);
}

bool Session::exportFigure(const Figure& figure, const std::string& path, const InkOptions& options) {
  const std::size_t dot = path.rfind('.');
  const auto bytes = ink(figure, dot == std::string::npos ? "" : path.substr(dot + 1), options);
  if (!bytes.ok()) {
    tell(bytes.error().message, true);
    return false;
  }
  const auto written = writeFileAtomically(path, *bytes);
  tell(written.ok() ? fmt::format("exported to {}", path) : written.error().message, !written.ok());
  return written.ok();
}

bool Session::exportSmt2(const std::string& folder) {
  int count = 0;
  for (const auto& o : snapshot()->outcomes) {
    if (!o->verdict) continue;
    for (const auto& [file, text] : o->verdict->smt2) {
      const auto written = writeFileAtomically(fmt::format("{}/line{}_{}", folder, o->statement.line, file), text);
      if (!written.ok()) {
        tell(written.error().message, true);
        return false;
      }
      ++count;
    }
  }
  tell(count == 0 ? "no solver was asked, so there is nothing to export"
                  : fmt::format("{} SMT-LIB files in {}", count, folder));
  return true;
}

}  // namespace tessera
