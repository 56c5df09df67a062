#include "app/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

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

Session::Session(EngineOptions options)
    : options_(std::move(options)),
      published_(std::make_shared<Snapshot>()),
      worker_([this](std::stop_token stop) { run(std::move(stop)); }) {}

Session::~Session() {
  cancel_ = true;
  worker_.request_stop();
  wake_.notify_all();
}

void Session::touch() {
  std::lock_guard lock(mutex_);
  if (wantedRevision_ == document_.revision()) return;
  wantedRevision_ = document_.revision();
  wanted_ = document_.text();
  cancel_ = true;
  wake_.notify_all();
}

void Session::reevaluate() {
  std::lock_guard lock(mutex_);
  forget_ = true;
  wantedRevision_ = document_.revision();
  wanted_ = document_.text();
  auto stale = std::make_shared<Snapshot>(*published_);
  stale->complete = false;
  published_ = std::move(stale);
  cancel_ = true;
  wake_.notify_all();
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

struct Session::Work {
  std::vector<std::shared_ptr<const Outcome>> outcomes;  // of the last run, in order
  std::vector<Scope> scopes{Scope()};                    // scopes[k]: the names known before statement k
};

namespace {

bool sameStatement(const Statement& a, const Statement& b) {
  return a.kind == b.kind && a.text == b.text && a.name == b.name;
}

// A kept outcome, moved to where its statement stands now.
std::shared_ptr<const Outcome> movedTo(const std::shared_ptr<const Outcome>& old, const Statement& now) {
  if (old->statement.span == now.span && old->statement.line == now.line) return old;
  auto moved = std::make_shared<Outcome>(*old);
  const auto shift = [&](Diag& d) {
    const std::size_t from = old->statement.span.begin, to = now.span.begin;
    if (d.span.begin >= from) d.span = {d.span.begin - from + to, d.span.end - from + to};
  };
  moved->statement = now;
  if (moved->diag) shift(*moved->diag);
  for (Diag& d : moved->notes) shift(d);
  return moved;
}

}  // namespace

void Session::run(std::stop_token stop) {
  Work work;
  std::uint64_t doing = 0;
  while (!stop.stop_requested()) {
    std::string text;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, stop, [&] { return wantedRevision_ != doing || forget_; });
      if (stop.stop_requested()) return;
      // A burst of keystrokes is one evaluation.
      const std::uint64_t seen = wantedRevision_;
      wake_.wait_for(lock, stop, std::chrono::milliseconds(25), [&] { return wantedRevision_ != seen; });
      if (forget_) work = Work();
      forget_ = false;
      text = wanted_;
      doing = wantedRevision_;
      cancel_ = false;
    }
    if (evaluateOnce(work, text, doing) && !stop.stop_requested()) publish(work, text, doing, /*complete=*/true);
  }
}

// Runs the statements of text, keeping the unchanged prefix. False when it was cancelled half way.
bool Session::evaluateOnce(Work& work, const std::string& text, std::uint64_t revision) {
  const std::vector<Statement> statements = splitStatements(text);
  std::size_t same = 0;
  while (same < statements.size() && same < work.outcomes.size() && !work.outcomes[same]->pending &&
         sameStatement(statements[same], work.outcomes[same]->statement))
    ++same;
  same = std::min(same, work.scopes.size() - 1);
  std::vector<std::shared_ptr<const Outcome>> outcomes;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    if (k < same) {
      outcomes.push_back(movedTo(work.outcomes[k], statements[k]));
      continue;
    }
    auto pending = std::make_shared<Outcome>();
    pending->statement = statements[k];
    pending->pending = true;
    outcomes.push_back(std::move(pending));
  }
  work.outcomes = std::move(outcomes);
  work.scopes.resize(same + 1);
  EngineOptions options = options_;
  options.prove.cancel = &cancel_;
  options.prove.exportSmt2 = true;
  auto last = std::chrono::steady_clock::now();
  for (std::size_t k = same; k < statements.size(); ++k) {
    // Show what is known before a proof starts, and from time to time.
    const auto now = std::chrono::steady_clock::now();
    if (now - last > std::chrono::milliseconds(statements[k].kind == StatementKind::Prove ? 15 : 60)) {
      publish(work, text, revision, /*complete=*/false);
      last = now;
    }
    Scope scope = work.scopes.back();
    auto outcome = std::make_shared<Outcome>(runStatement(statements[k], scope, options));
    if (cancel_) return false;
    work.outcomes[k] = std::move(outcome);
    work.scopes.push_back(std::move(scope));
  }
  return true;
}

void Session::publish(const Work& work, const std::string& text, std::uint64_t revision, bool complete) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->revision = revision;
  snapshot->text = text;
  snapshot->outcomes = work.outcomes;
  snapshot->complete = complete;
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

void Session::newWorksheet() {
  document_.reset("");
  hover.reset();
  pinned.reset();
  litPoints.clear();
  touch();
}

bool Session::open(const std::string& path) {
  const auto opened = document_.open(path);
  tell(opened.ok() ? fmt::format("opened {}", path) : opened.error().message, !opened.ok());
  if (!opened.ok()) return false;
  hover.reset();
  pinned.reset();
  litPoints.clear();
  touch();
  return true;
}

bool Session::openGallery(const std::string& path) {
  auto text = readFile(path);
  if (!text.ok()) {
    tell(text.error().message, true);
    return false;
  }
  newWorksheet();
  document_.reset(*std::move(text));
  touch();
  return true;
}

bool Session::save() { return !document_.path().empty() && saveAs(document_.path()); }

bool Session::saveAs(const std::string& path) {
  const auto saved = document_.saveAs(path);
  tell(saved.ok() ? fmt::format("saved to {}", path) : saved.error().message + ". The old file is unchanged.",
       !saved.ok());
  return saved.ok();
}

bool Session::exportFigure(std::size_t outcome, const std::string& path) {
  const auto now = snapshot();
  if (outcome >= now->outcomes.size() || !now->outcomes[outcome]->figure) {
    tell("there is no picture to export", true);
    return false;
  }
  const std::size_t dot = path.rfind('.');
  InkOptions options;
  options.theme = theme;
  const auto bytes =
      ink(*now->outcomes[outcome]->figure, dot == std::string::npos ? "" : path.substr(dot + 1), options);
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
