#include "app/engine/live_document.h"

#include <fmt/format.h>

#include <unordered_map>

#include "core/base/nearest.h"
#include "core/worksheet/programs/run_statement.h"

namespace tessera {
namespace {

bool sameStatement(const Statement& a, const Statement& b) {
  return a.kind == b.kind && a.text == b.text && a.name == b.name;
}

// A kept outcome, moved to its statement's current position.
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

// For each statement of `now`, the index of the possibly equal one of `before`, or -1: matched by the common beginning,
// the common end, and in between by the first unused statement with equal text.
std::vector<std::ptrdiff_t> partners(const std::vector<const Statement*>& before, const std::vector<Statement>& now) {
  std::vector<std::ptrdiff_t> found(now.size(), -1);
  const auto [head, tail] =
      commonEnds(before, now, [](const Statement* a, const Statement& b) { return sameStatement(*a, b); });
  std::unordered_map<std::string_view, std::vector<std::size_t>>
      byText;  // in reverse, so that pop_back yields them in order
  for (std::size_t k = before.size() - tail; k-- > head;) byText[before[k]->text].push_back(k);
  for (std::size_t k = 0; k < now.size(); ++k) {
    if (k < head) {
      found[k] = static_cast<std::ptrdiff_t>(k);
    } else if (k >= now.size() - tail) {
      found[k] = static_cast<std::ptrdiff_t>(before.size() - (now.size() - k));
    } else if (const auto it = byText.find(now[k].text); it != byText.end() && !it->second.empty()) {
      if (sameStatement(*before[it->second.back()], now[k])) {
        found[k] = static_cast<std::ptrdiff_t>(it->second.back());
        it->second.pop_back();
      }
    }
  }
  return found;
}

void keepFirst(std::vector<Statement>& statements, std::size_t most) {
  if (statements.size() <= most) return;
  const std::size_t left = statements.size() - most + 1;
  statements.resize(most);
  Statement& last = statements.back();
  last.kind = StatementKind::Invalid;
  last.diag = Diag{fmt::format("the window runs at most {} statements: this one and the {} after it are not run",
                               most - 1, left - 1),
                   "", "a smaller worksheet; tessera check runs them all", last.span};
}

}  // namespace

void LiveDocument::setText(std::string_view text) {
  std::vector<Statement> statements = splitStatements(text);
  keepFirst(statements, mostStatements_);
  std::vector<const Statement*> before;
  for (const Entry& e : entries_) before.push_back(&e.statement);
  const std::vector<std::ptrdiff_t> partner = partners(before, statements);
  std::vector<Entry> entries(statements.size());
  for (std::size_t k = 0; k < statements.size(); ++k) {
    if (partner[k] >= 0) entries[k] = std::move(entries_[static_cast<std::size_t>(partner[k])]);
    if (entries[k].outcome) entries[k].outcome = movedTo(entries[k].outcome, statements[k]);
    entries[k].statement = std::move(statements[k]);
  }
  for (Entry& e : entries_) drop(e);  // entries without a partner; the others were moved from
  entries_ = std::move(entries);
  visitAgain();
}

void LiveDocument::visitAgain() {
  open_.clear();
  for (std::size_t k = 0; k < entries_.size(); ++k)
    if (entries_[k].job) open_.push_back(k);
  running_ = open_.size();
  scope_ = Scope();
  next_ = 0;
  waiting_ = 0;
}

void LiveDocument::drop(Entry& entry) {
  if (entry.job) {
    jobs_.cancel(entry.job);
    --running_;
  }
  entry.job = nullptr;
  entry.outcome = nullptr;
  entry.evaluated = false;
}

void LiveDocument::again(const std::string& key) {
  for (Entry& e : entries_)
    if (e.statement.kind == StatementKind::Run && runKey(e.statement.text) == key) drop(e);
  visitAgain();
}

void LiveDocument::forget() {
  for (Entry& e : entries_) drop(e);
  entries_.clear();
  visitAgain();
}

bool LiveDocument::step() {
  if (next_ == entries_.size()) return false;
  const std::size_t index = next_++;
  Entry& entry = entries_[index];
  // The error of an invalid statement may be outside it.
  const bool known = entry.evaluated && entry.statement.kind != StatementKind::Invalid;
  if (!known || !scope_.readsTheSame(entry.trace)) {
    drop(entry);
    evaluate(entry, index);
  }
  bind(entry);
  return true;
}

void LiveDocument::evaluate(Entry& entry, std::size_t index) {
  entry.trace = {};
  scope_.keepTrace(&entry.trace);
  Started started = start_(entry.statement, scope_, jobs_.options());
  scope_.keepTrace(nullptr);
  if (entry.trace.awaits) {
    ++waiting_;
    return;
  }
  entry.evaluated = true;
  entry.awaited = awaitedName(started);
  if (started.complete()) {
    entry.outcome = std::make_shared<const Outcome>(std::move(started.outcome));
  } else {
    entry.job = jobs_.submit(std::move(started));
    open_.push_back(index);
    ++running_;
  }
}

// Makes the bindings visible to later statements. A waiting entry has no value yet; the names it bound are awaited,
// including its own.
void LiveDocument::bind(const Entry& entry) {
  if (entry.evaluated) {
    for (const auto& [name, bound] : entry.trace.writes) scope_.bind(name, bound);
    if (entry.job && !entry.awaited.empty()) scope_.await(entry.awaited);
    return;
  }
  for (const auto& [name, bound] : entry.trace.writes) scope_.await(name);
  if (!entry.statement.name.empty()) scope_.await(entry.statement.name);
}

// Takes the answer if it is available; returns true if others may have waited for it.
bool LiveDocument::take(Entry& entry) {
  if (!entry.job) return false;
  const std::shared_ptr<const Outcome> answer = entry.job->outcome();
  if (!answer) return false;
  entry.outcome = movedTo(answer, entry.statement);
  entry.job = nullptr;
  --running_;
  if (entry.awaited.empty()) return false;
  Scope answers;
  answers.keepTrace(&entry.trace);
  bindAnswer(*answer, answers);
  return true;
}

bool LiveDocument::collect() {
  bool again = false;
  const std::size_t before = running_;
  for (const std::size_t k : open_) again = take(entries_[k]) || again;
  std::erase_if(open_, [&](std::size_t k) { return entries_[k].job == nullptr; });
  const bool some = running_ != before;
  if (again) visitAgain();
  return some;
}

std::vector<std::shared_ptr<const Outcome>> LiveDocument::outcomes() {
  std::vector<std::shared_ptr<const Outcome>> all;
  all.reserve(entries_.size());
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    Entry& e = entries_[k];
    if (k < next_ && e.outcome) {
      all.push_back(e.outcome);
      continue;
    }
    const bool same = e.pending && e.pending->job == e.job && e.pending->statement.span == e.statement.span &&
                      e.pending->statement.line == e.statement.line;
    if (!same) {
      auto pending = std::make_shared<Outcome>();
      pending->statement = e.statement;
      pending->pending = true;
      pending->job = e.job;
      e.pending = std::move(pending);
    }
    all.push_back(e.pending);
  }
  return all;
}

}  // namespace tessera
