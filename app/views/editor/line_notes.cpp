#include "app/views/editor/line_notes.h"

#include <algorithm>
#include <tuple>

#include "app/engine/measure/run_pictures.h"
#include "core/base/chars.h"
#include "core/base/nearest.h"
#include "core/worksheet/value.h"

namespace tessera::panes {
namespace {

std::string cut(std::string s, std::size_t n) {
  return s.size() <= n ? s : s.substr(0, codePointStart(s, n)) + "\u2026";
}

}  // namespace

std::string shortened(std::string s, std::size_t n) {
  for (char& c : s)
    if (c == '\n') c = ' ';
  return cut(std::move(s), n);
}

namespace {

constexpr std::size_t kMostCard = 600;
constexpr std::size_t kMostValue = 20'000;

void addProblem(LineNote& n, const Outcome& o) {
  n.sign = ui::Sign::Problem;
  n.card = o.diag->message;
  if (!o.diag->expected.empty()) n.card += ". Expected: " + o.diag->expected;
  if (!o.diag->hint.empty()) n.card += ". " + o.diag->hint;
  n.underline = o.diag->span.empty() ? o.statement.span : o.diag->span;
}

void addVerdict(LineNote& n, const Verdict& verdict) {
  n.sign = signOf(verdict.truth);
  if (verdict.truth == Truth::Refuted && verdict.counterexample) n.card = verdict.counterexample->text;
  if (verdict.truth == Truth::Unknown) {
    n.card = "unknown: " + verdict.detail;
    n.cardRole = Role::Unknown;
  }
}

// "Sw<3,3,3> o 0 o (64,64):(64,1), and 4 more": the first answer of a search; the picture shows the others.
std::string foundText(const SwizzleFinding& finding) {
  if (finding.linear) return finding.linear->exists() ? print(*finding.linear) : "none: " + finding.linear->none;
  const auto& [swizzles, paddings] = std::tie(finding.search.swizzles, finding.search.paddings);
  const std::size_t count = swizzles.size() + paddings.size();
  if (count == 0) return "none serves all accesses";
  const SwizzleAnswer& first = swizzles.empty() ? paddings.front() : swizzles.front();
  return first.cute + (count > 1 ? ", and " + std::to_string(count - 1) + " more" : "");
}

// "41.2 us", "right on the emulator": the result of a run.
void addRun(LineNote& n, const RanProgram& ran) {
  const measure::ComparisonRow* const kernel = ran.kernel();
  if (kernel == nullptr) return;
  using measure::Answer;
  n.sign = kernel->answer == Answer::Wrong                 ? ui::Sign::Refuted
           : kernel->answer == Answer::Right && !ran.stale ? ui::Sign::Proved
                                                           : ui::Sign::Unknown;
  n.value = kernel->time.count > 0 ? timeOf(*kernel) : std::string(name(kernel->answer));
  if (ran.table.device.empty()) n.value += " on the emulator";
  if (ran.kept) n.value += ", " + readableDate(ran.table.date);
  if (kernel->answer != Answer::Right) n.card = kernel->why;
  if (kernel->answer == Answer::NotCompared) n.cardRole = Role::Unknown;
  if (ran.stale && n.card.empty()) {
    n.card = "the program has changed since: run it again";
    n.cardRole = Role::Unknown;
  }
}

LineNote noteOf(const Outcome& o) {
  const StatementKind kind = o.statement.kind;
  LineNote n;
  if (o.pending && (o.job || kind == StatementKind::Prove || kind == StatementKind::Assert)) n.sign = ui::Sign::Pending;
  if (o.diag) {
    addProblem(n, o);
  } else if (o.verdict) {
    addVerdict(n, *o.verdict);
  } else if (o.ran) {
    addRun(n, *o.ran);
  } else if (kind == StatementKind::Assert && o.value) {
    n.sign = ui::Sign::Proved;
  } else if (const auto* found = kind == StatementKind::Find && o.value ? as<SwizzleFinding>(*o.value) : nullptr) {
    n.value = shortened(foundText(*found), kMostValue);
  } else if (o.value && (kind == StatementKind::Expression || kind == StatementKind::Bind)) {
    const std::string text = print(*o.value);
    // A literal that prints as typed needs no echo.
    if (o.statement.text.find(text) == std::string::npos)
      n.value = is<Text>(*o.value) ? cut(text, kMostValue) : shortened(text, kMostValue);
  }
  if (n.card.empty() && !o.notes.empty()) {  // defaults that were used, and how to change them
    n.card = o.notes.front().message;
    if (!o.notes.front().hint.empty()) n.card += "; " + o.notes.front().hint;
    n.cardRole = Role::Muted;
  }
  n.card = shortened(n.card, kMostCard);
  return n;
}

// A statement's first line; for a block the line with its error.
int lineOf(const Outcome& o) {
  const Statement& s = o.statement;
  if (s.kind != StatementKind::Block || (!o.diag && o.notes.empty())) return s.line;
  const std::size_t at = o.diag ? o.diag->span.begin : o.notes.front().span.begin;
  if (at < s.span.begin || at - s.span.begin > s.text.size()) return s.line;
  return s.line + lineColumn(s.text, at - s.span.begin).line - 1;
}

}  // namespace

std::map<int, LineNote> notesOf(const Snapshot& snapshot, NoteCache& cache) {
  std::map<int, LineNote> notes;
  NoteCache now;
  for (const auto& o : snapshot.outcomes) {
    const auto known = cache.find(o);
    const LineNote& n = now.emplace(o, known != cache.end() ? std::move(known->second) : noteOf(*o)).first->second;
    if (n.sign || !n.value.empty() || !n.card.empty()) notes[lineOf(*o)] = n;
  }
  cache = std::move(now);
  return notes;
}

std::map<int, LineNote> carriedOver(std::map<int, LineNote> notes, const Snapshot& snapshot, std::string_view text) {
  const std::string_view old = snapshot.text;
  const auto [front, back] = commonEnds(old, text);
  const auto lines = [](std::string_view s) { return static_cast<i64>(std::count(s.begin(), s.end(), '\n')); };
  const i64 moved =
      lines(text.substr(front, text.size() - back - front)) - lines(old.substr(front, old.size() - back - front));
  std::map<int, LineNote> out;
  for (const auto& o : snapshot.outcomes) {
    const auto found = notes.find(lineOf(*o));
    if (found == notes.end()) continue;
    LineNote n = std::move(found->second);
    const bool before = o->statement.span.end < front, behind = o->statement.span.begin >= old.size() - back;
    if (behind) n.underline = n.underline.shifted(text.size() - old.size());
    if (!before && !behind) {
      n.value.clear();
      n.underline = {};
    }
    // Statements on one line share its note, which the first one moved.
    const int line = behind ? static_cast<int>(lineOf(*o) + moved) : lineOf(*o);
    out[line] = std::move(n);
    notes.erase(found);
  }
  return out;
}

}  // namespace tessera::panes
