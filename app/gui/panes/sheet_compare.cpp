#include "app/gui/panes/sheet_compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/gui/commands.h"
#include "app/views/editor/line_notes.h"

namespace tessera {
namespace {

// The answer of each line, as text: "proved", "16", "refuted  f(0) = f(1)".
std::vector<std::string> answersOf(const Snapshot& snapshot, std::size_t lines) {
  std::vector<std::string> answers(lines);
  panes::NoteCache cache;
  for (const auto& [line, note] : panes::notesOf(snapshot, cache)) {
    if (line < 1 || static_cast<std::size_t>(line) > lines) continue;
    std::string& said = answers[static_cast<std::size_t>(line - 1)];
    if (note.sign) {
      constexpr const char* kWords[] = {"proved", "refuted", "unknown", "pending", "error"};
      said = kWords[static_cast<std::size_t>(*note.sign)];
    }
    for (const std::string& more : {note.value, note.card})
      if (!more.empty()) said += (said.empty() ? "" : "  ") + panes::shortened(more, more.size());
  }
  return answers;
}

bool known(const Session& session, const Snapshot& now) {
  return now.complete && now.text == session.document().text();
}

}  // namespace

void SheetDifferences::follow(const Session& mine, const Session& other, bool onlyDifferences) {
  const auto nowA = mine.evaluation().snapshot(), nowB = other.evaluation().snapshot();
  const bool both = known(mine, *nowA) && known(other, *nowB);
  const bool same = revisionA == mine.document().revision() && answered == both;
  if (same && madeOnlyDifferences == onlyDifferences) return;
  if (!same) {
    revisionA = mine.document().revision();
    answered = both;
    textA = mine.document().text();
    a = {linesOf(textA), {}};
    b = {linesOf(textB), {}};
    if (both) {
      a.answers = answersOf(*nowA, a.lines.size());
      b.answers = answersOf(*nowB, b.lines.size());
    }
  }
  madeOnlyDifferences = onlyDifferences;
  rows = sheetRows(a, b, onlyDifferences ? 3 : kAllRows);
  places = differences(rows);
  sentence = sentenceOf(rows);
  marks.assign(rows.size(), std::nullopt);
  ++version;
}

void SheetCompare::go(int direction) {
  const std::size_t n = diff.places.size();
  if (n == 0) return;
  at = (at + (direction > 0 ? 1 : n - 1)) % n;
  reveal = true;
}

const WordMarks& SheetDifferences::marksOf(std::size_t row) {
  std::optional<WordMarks>& known = marks[row];
  if (!known) {
    const SheetRow& r = rows[row];
    if (r.kind == SheetRow::Kind::Changed) {
      known = differingWords(a.lines[static_cast<std::size_t>(r.first)], b.lines[static_cast<std::size_t>(r.second)]);
    } else if (r.kind == SheetRow::Kind::Answer) {
      known =
          differingWords(a.answers[static_cast<std::size_t>(r.first)], b.answers[static_cast<std::size_t>(r.second)]);
    } else {
      known = WordMarks{};
    }
  }
  return *known;
}

void compareWith(const Session& session, WindowState& state, std::string name, std::string text) {
  SheetCompare c;
  c.nameA = fileNameOf(session.document().path(), "this sheet");
  c.nameB = std::move(name);
  c.diff.textB = std::move(text);
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;  // values and verdicts are compared, pictures are not
  c.other = std::make_shared<Session>(options);
  c.other->document().reset(c.diff.textB);
  c.other->touch();
  c.reveal = true;
  // Moved as a whole, because rows point into the texts.
  state.sheets = std::move(c);
}

void closeComparison(WindowState& state) { state.sheets = SheetCompare(); }

}  // namespace tessera
