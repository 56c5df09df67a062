#include "app/files/sheet_diff.h"

#include <algorithm>
#include <optional>
#include <span>

#include "core/base/chars.h"
#include "core/base/nearest.h"

namespace tessera {

// --- lines -----------------------------------------------------------------------------------------------------------

namespace {

using Line = std::ptrdiff_t;
using Lines = std::vector<std::string_view>;

// Myers: furthest[k + most] is the furthest position in a on diagonal k (a's line minus b's) with the current number of
// edits; one copy per number of edits is kept for backtracking. Returns the rows of two texts that begin at line
// `head`.
std::optional<std::vector<DiffRow>> shortest(std::span<const std::string_view> a, std::span<const std::string_view> b,
                                             std::size_t head) {
  const auto n = std::ssize(a), m = std::ssize(b);
  const Line most = std::min<Line>(n + m, kMostEdits);
  std::vector<std::vector<Line>> trail;
  std::vector<Line> furthest(static_cast<std::size_t>(2 * most + 3), 0);
  const auto at = [&](Line k) -> Line& { return furthest[static_cast<std::size_t>(k + most + 1)]; };
  Line edits = 0;
  for (bool found = false; !found; ++edits) {
    if (edits > most) return std::nullopt;
    for (Line k = -edits; k <= edits && !found; k += 2) {
      const bool down = k == -edits || (k != edits && at(k - 1) < at(k + 1));
      Line x = down ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)])
        ++x;
      at(k) = x;
      found = x >= n && x - k >= m;
    }
    // For backtracking: diagonals -edits to edits.
    trail.emplace_back(furthest.begin() + (most + 1 - edits), furthest.begin() + (most + 2 + edits));
  }
  std::vector<DiffRow> rows;  // from the end
  Line x = n, y = m;
  const auto push = [&](DiffRow::Kind kind) {
    rows.push_back({kind, head + static_cast<std::size_t>(x), head + static_cast<std::size_t>(y)});
  };
  const auto same = [&](Line fromX, Line fromY) {
    while (x > fromX && y > fromY) {
      --x;
      --y;
      push(DiffRow::Kind::Same);
    }
  };
  for (Line d = edits - 1; d > 0; --d) {
    const std::vector<Line>& v = trail[static_cast<std::size_t>(d - 1)];  // after d - 1 edits
    const auto reached = [&](Line k) {
      return k < -(d - 1) || k > d - 1 ? -1 : v[static_cast<std::size_t>(k + d - 1)];
    };
    const Line k = x - y;
    const bool down = k == -d || (k != d && reached(k - 1) < reached(k + 1));
    same(down ? reached(k + 1) : reached(k - 1) + 1, -1);
    down ? --y : --x;
    push(down ? DiffRow::Kind::Second : DiffRow::Kind::First);
  }
  same(0, 0);
  std::ranges::reverse(rows);
  return rows;
}

}  // namespace

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::vector<DiffRow> lineDiff(const Lines& a, const Lines& b) {
  const auto [head, tail] = commonEnds(a, b);
  const std::size_t endA = a.size() - tail, endB = b.size() - tail;
  std::vector<DiffRow> rows;
  for (std::size_t k = 0; k < head; ++k) rows.push_back({DiffRow::Kind::Same, k, k});
  if (auto between = shortest(std::span(a).subspan(head, endA - head), std::span(b).subspan(head, endB - head), head)) {
    rows.insert(rows.end(), between->begin(), between->end());
  } else {
    for (std::size_t k = head; k < endA; ++k) rows.push_back({DiffRow::Kind::First, k, head});
    for (std::size_t k = head; k < endB; ++k) rows.push_back({DiffRow::Kind::Second, endA, k});
  }
  for (std::size_t k = 0; k < tail; ++k) rows.push_back({DiffRow::Kind::Same, endA + k, endB + k});
  return rows;
}

std::size_t changedLines(std::string_view before, std::string_view now) {
  std::size_t lost = 0, came = 0;
  for (const DiffRow& row : lineDiff(linesOf(before), linesOf(now))) {
    lost += row.kind == DiffRow::Kind::First;
    came += row.kind == DiffRow::Kind::Second;
  }
  return came > 0 ? came : lost;
}

// --- worksheets ------------------------------------------------------------------------------------------------------

namespace {

using Kind = SheetRow::Kind;

// Lines of more words are compared only by their common beginning and end.
constexpr std::size_t kMostWords = 600;
// Up to this number of pairs, changed lines are paired by similarity; beyond by position.
constexpr std::size_t kMostPairs = 1024;
// All pairs are tried, so longer lines are compared only by their beginning and end for pairing.
constexpr std::size_t kLongLine = 200;
// Less similar lines count as two lines instead of one changed line.
constexpr double kLeast = 0.4;

enum class Letter { Word, Blank, Sign };

Letter letterOf(char c) {
  const auto u = static_cast<unsigned char>(c);
  if (c == ' ' || c == '\t' || c == '\r') return Letter::Blank;
  const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || u >= 0x80;
  return word ? Letter::Word : Letter::Sign;
}

// Words, runs of blanks, and single punctuation characters.
std::vector<std::string_view> wordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at + 1;
    const Letter kind = letterOf(line[at]);
    if (kind != Letter::Sign)
      while (end < line.size() && letterOf(line[end]) == kind) ++end;
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

bool blank(std::string_view word) { return letterOf(word.front()) == Letter::Blank; }

// The bytes between the common beginning and end; none if one of the lines has none.
WordMarks betweenEnds(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t head = 0, tail = 0;
  while (head < most && a[head] == b[head]) ++head;
  const auto inside = [](std::string_view t, std::size_t at) { return at < t.size() && continuesCodePoint(t[at]); };
  while (head > 0 && (inside(a, head) || inside(b, head))) --head;
  while (tail < most - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  while (tail > 0 && inside(a, a.size() - tail)) --tail;
  WordMarks marks;
  if (head < a.size() - tail) marks.first.emplace_back(head, a.size() - tail);
  if (head < b.size() - tail) marks.second.emplace_back(head, b.size() - tail);
  return marks;
}

void mark(Marks& marks, std::string_view line, std::string_view word) {
  const auto at = static_cast<std::size_t>(word.data() - line.data());
  if (!marks.empty() && marks.back().second == at) {
    marks.back().second += word.size();
  } else {
    marks.emplace_back(at, at + word.size());
  }
}

using LineNumbers = std::vector<Line>;

// Pairs changed lines with maximum total similarity: dynamic programming from the end.
void appendBySimilarity(std::vector<SheetRow>& rows, const SheetSide& a, const SheetSide& b, const LineNumbers& first,
                        const LineNumbers& second) {
  const std::size_t n = first.size(), m = second.size();
  std::vector<double> likes(n * m), bests((n + 1) * (m + 1), 0);
  const auto best = [&](std::size_t i, std::size_t j) -> double& { return bests[i * (m + 1) + j]; };
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;) {
      const double l =
          likeness(a.lines[static_cast<std::size_t>(first[i])], b.lines[static_cast<std::size_t>(second[j])]);
      likes[i * m + j] = l;
      best(i, j) = std::max(best(i + 1, j), best(i, j + 1));
      if (l >= kLeast) best(i, j) = std::max(best(i, j), best(i + 1, j + 1) + l);
    }
  std::size_t i = 0, j = 0;
  while (i < n || j < m) {
    const double l = i < n && j < m ? likes[i * m + j] : 0;
    if (l >= kLeast && best(i, j) == best(i + 1, j + 1) + l) {
      rows.push_back({Kind::Changed, first[i++], second[j++]});
    } else if (j == m || (i < n && best(i, j) == best(i + 1, j))) {
      rows.push_back({Kind::First, first[i++], -1});
    } else {
      rows.push_back({Kind::Second, -1, second[j++]});
    }
  }
}

void appendByPosition(std::vector<SheetRow>& rows, const LineNumbers& first, const LineNumbers& second) {
  const std::size_t both = std::min(first.size(), second.size());
  for (std::size_t k = 0; k < both; ++k) rows.push_back({Kind::Changed, first[k], second[k]});
  for (std::size_t k = both; k < first.size(); ++k) rows.push_back({Kind::First, first[k], -1});
  for (std::size_t k = both; k < second.size(); ++k) rows.push_back({Kind::Second, -1, second[k]});
}

// append(rows, first, second): adds the rows of a run of differing lines.
std::vector<SheetRow> allRows(const std::vector<DiffRow>& diff, const auto& append) {
  std::vector<SheetRow> rows;
  for (std::size_t k = 0; k < diff.size();) {
    LineNumbers first, second;
    for (; k < diff.size() && diff[k].kind != DiffRow::Kind::Same; ++k) {
      const bool mine = diff[k].kind == DiffRow::Kind::First;
      (mine ? first : second).push_back(static_cast<Line>(mine ? diff[k].first : diff[k].second));
    }
    append(rows, first, second);
    for (; k < diff.size() && diff[k].kind == DiffRow::Kind::Same; ++k)
      rows.push_back({Kind::Same, static_cast<Line>(diff[k].first), static_cast<Line>(diff[k].second)});
  }
  return rows;
}

// Adds an Answer row after each row whose lines have different answers.
std::vector<SheetRow> withAnswers(std::vector<SheetRow> rows, const SheetSide& a, const SheetSide& b) {
  if (a.answers.empty() || b.answers.empty()) return rows;
  std::vector<SheetRow> out;
  out.reserve(rows.size());
  for (const SheetRow& row : rows) {
    out.push_back(row);
    if (row.first < 0 || row.second < 0) continue;
    const std::string& mine = a.answers.at(static_cast<std::size_t>(row.first));
    const std::string& theirs = b.answers.at(static_cast<std::size_t>(row.second));
    if (mine != theirs) out.push_back({Kind::Answer, row.first, row.second});
  }
  return out;
}

// Of long runs of equal lines only `context` lines on either side of a difference are kept.
std::vector<SheetRow> shortened(const std::vector<SheetRow>& all, std::size_t context) {
  if (context == kAllRows) return all;
  std::vector<SheetRow> rows;
  const auto keep = [&](std::size_t from, std::size_t to) {
    rows.insert(rows.end(), all.begin() + static_cast<Line>(from), all.begin() + static_cast<Line>(to));
  };
  for (std::size_t k = 0; k < all.size();) {
    std::size_t end = k;
    while (end < all.size() && !all[end].differs()) ++end;
    const std::size_t before = k == 0 ? 0 : context;
    // Never omit the line that an answer belongs to.
    const bool answered = end < all.size() && all[end].kind == Kind::Answer;
    const std::size_t after = end == all.size() ? 0 : std::max<std::size_t>(context, answered ? 1 : 0);
    if (end - k <= before + after + 1) {  // a row for a single omitted line would be no shorter
      keep(k, end);
    } else {
      keep(k, k + before);
      rows.push_back({Kind::LeftOut, -1, -1, end - k - before - after});
      keep(end - after, end);
    }
    for (k = end; k < all.size() && all[k].differs(); ++k) rows.push_back(all[k]);
  }
  return rows;
}

}  // namespace

std::vector<SheetRow> sheetRows(const SheetSide& a, const SheetSide& b, std::size_t context) {
  const auto append = [&](std::vector<SheetRow>& rows, const LineNumbers& first, const LineNumbers& second) {
    if (first.size() * second.size() > kMostPairs) return appendByPosition(rows, first, second);
    appendBySimilarity(rows, a, b, first, second);
  };
  return shortened(withAnswers(allRows(lineDiff(a.lines, b.lines), append), a, b), context);
}

std::vector<SheetRow> sideBySide(const std::vector<DiffRow>& diff, std::size_t context) {
  return shortened(allRows(diff, appendByPosition), context);
}

std::vector<std::size_t> differences(const std::vector<SheetRow>& rows) {
  std::vector<std::size_t> begins;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    // An answer continues the line above it.
    const bool goesOn = k > 0 && rows[k - 1].differs();
    if (rows[k].differs() && !goesOn) begins.push_back(k);
  }
  return begins;
}

WordMarks differingWords(std::string_view a, std::string_view b) {
  const Lines first = wordsOf(a), second = wordsOf(b);
  if (first.size() > kMostWords || second.size() > kMostWords) return betweenEnds(a, b);
  WordMarks marks;
  for (const DiffRow& row : lineDiff(first, second)) {
    if (row.kind == DiffRow::Kind::First) mark(marks.first, a, first[row.first]);
    if (row.kind == DiffRow::Kind::Second) mark(marks.second, b, second[row.second]);
  }
  return marks;
}

double likeness(std::string_view a, std::string_view b) {
  const WordMarks marks = std::max(a.size(), b.size()) > kLongLine ? betweenEnds(a, b) : differingWords(a, b);
  // Blanks are ignored: blank lines have nothing in common, and indentation is not a change.
  const auto letters = [](std::string_view line) {
    std::size_t n = 0;
    for (const std::string_view word : wordsOf(line)) n += blank(word) ? 0 : word.size();
    return n;
  };
  std::size_t alone = 0;
  for (const auto& [begin, end] : marks.first) alone += letters(a.substr(begin, end - begin));
  for (const auto& [begin, end] : marks.second) alone += letters(b.substr(begin, end - begin));
  const std::size_t all = letters(a) + letters(b);
  if (all == 0) return a.empty() == b.empty() ? 1 : 0;
  return static_cast<double>(all - alone) / static_cast<double>(all);
}

std::string sentenceOf(const std::vector<SheetRow>& rows) {
  std::size_t lines = 0, answers = 0;
  for (const SheetRow& row : rows) {
    answers += row.kind == Kind::Answer;
    lines += row.kind != Kind::Answer && row.differs();
  }
  if (lines == 0 && answers == 0) return "The sheets are the same";
  const auto differ = [](std::size_t n, const char* noun) {
    return counted(n, noun) + (n == 1 ? " differs" : " differ");
  };
  std::string text = lines == 0 ? "The lines are the same" : differ(lines, "line");
  if (answers > 0) text += "; " + differ(answers, "answer");
  return text + ", in " + counted(differences(rows).size(), "place");
}

}  // namespace tessera
