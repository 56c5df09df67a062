#include "app/files/sheet_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/base/chars.h"

namespace tessera {
namespace {

using Kind = SheetRow::Kind;

// Lines of more words are compared only by their common beginning and end.
constexpr std::size_t kMostWords = 600;
// Up to this number of pairs, changed lines are paired by similarity; beyond by position.
constexpr std::size_t kMostPairs = 1024;
// All pairs are tried, so longer lines are compared only by their beginning and end for pairing.
constexpr std::size_t kLongLine = 200;
// Less similar lines are not a changed line but two lines.
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

// Pairs changed lines with maximum total similarity: dynamic programming from the end.
class Pairing {
 public:
  Pairing(const SheetSide& a, const SheetSide& b, std::vector<std::ptrdiff_t> first, std::vector<std::ptrdiff_t> second)
      : first_(std::move(first)), second_(std::move(second)), width_(second_.size() + 1) {
    like_.resize(first_.size() * second_.size());
    best_.assign((first_.size() + 1) * width_, 0);
    for (std::size_t i = first_.size(); i-- > 0;)
      for (std::size_t j = second_.size(); j-- > 0;) {
        const double l =
            likeness(a.lines[static_cast<std::size_t>(first_[i])], b.lines[static_cast<std::size_t>(second_[j])]);
        like_[i * second_.size() + j] = l;
        best(i, j) = std::max(best(i + 1, j), best(i, j + 1));
        if (l >= kLeast) best(i, j) = std::max(best(i, j), best(i + 1, j + 1) + l);
      }
  }
  void appendTo(std::vector<SheetRow>& rows) {
    std::size_t i = 0, j = 0;
    while (i < first_.size() && j < second_.size()) {
      const double l = like_[i * second_.size() + j];
      if (l >= kLeast && best(i, j) == best(i + 1, j + 1) + l) {
        rows.push_back({Kind::Changed, first_[i++], second_[j++]});
      } else if (best(i, j) == best(i + 1, j)) {
        rows.push_back({Kind::First, first_[i++], -1});
      } else {
        rows.push_back({Kind::Second, -1, second_[j++]});
      }
    }
    for (; i < first_.size(); ++i) rows.push_back({Kind::First, first_[i], -1});
    for (; j < second_.size(); ++j) rows.push_back({Kind::Second, -1, second_[j]});
  }

 private:
  double& best(std::size_t i, std::size_t j) { return best_[i * width_ + j]; }
  std::vector<std::ptrdiff_t> first_, second_;
  std::size_t width_;
  std::vector<double> like_, best_;
};

using LineNumbers = std::vector<std::ptrdiff_t>;

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
    if (diff[k].kind == DiffRow::Kind::Same) {
      rows.push_back(
          {Kind::Same, static_cast<std::ptrdiff_t>(diff[k].first), static_cast<std::ptrdiff_t>(diff[k].second)});
      ++k;
      continue;
    }
    LineNumbers first, second;
    for (; k < diff.size() && diff[k].kind != DiffRow::Kind::Same; ++k) {
      const bool mine = diff[k].kind == DiffRow::Kind::First;
      (mine ? first : second).push_back(static_cast<std::ptrdiff_t>(mine ? diff[k].first : diff[k].second));
    }
    append(rows, std::move(first), std::move(second));
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
  for (std::size_t k = 0; k < all.size();) {
    if (all[k].differs()) {
      rows.push_back(all[k++]);
      continue;
    }
    std::size_t end = k;
    while (end < all.size() && !all[end].differs()) ++end;
    const std::size_t before = k == 0 ? 0 : context;
    // Never omit the line that an answer belongs to.
    const bool answered = end < all.size() && all[end].kind == Kind::Answer;
    const std::size_t behind = end == all.size() ? 0 : std::max<std::size_t>(context, answered ? 1 : 0);
    if (end - k <= before + behind + 1) {  // a row for a single omitted line would be no shorter
      rows.insert(rows.end(), all.begin() + static_cast<std::ptrdiff_t>(k),
                  all.begin() + static_cast<std::ptrdiff_t>(end));
    } else {
      const auto at = [&](std::size_t n) { return all.begin() + static_cast<std::ptrdiff_t>(n); };
      rows.insert(rows.end(), at(k), at(k + before));
      rows.push_back({Kind::LeftOut, -1, -1, end - k - before - behind});
      rows.insert(rows.end(), at(end - behind), at(end));
    }
    k = end;
  }
  return rows;
}

}  // namespace

std::vector<SheetRow> sheetRows(const SheetSide& a, const SheetSide& b, std::size_t context) {
  const auto append = [&](std::vector<SheetRow>& rows, LineNumbers first, LineNumbers second) {
    if (first.size() * second.size() > kMostPairs) return appendByPosition(rows, first, second);
    Pairing(a, b, std::move(first), std::move(second)).appendTo(rows);
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
  const std::vector<std::string_view> first = wordsOf(a), second = wordsOf(b);
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
  // Blanks are ignored: blank lines have nothing in common, and indentation is no change.
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
    if (row.kind == Kind::Answer) {
      ++answers;
    } else if (row.differs()) {
      ++lines;
    }
  }
  const std::size_t places = differences(rows).size();
  const auto counted = [](std::size_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  if (lines == 0 && answers == 0) return "The sheets are the same";
  std::string text = lines == 0 ? "The lines are the same" : counted(lines, "line differs", "lines differ");
  if (answers > 0) text += "; " + counted(answers, "answer differs", "answers differ");
  return text + ", in " + counted(places, "place", "places");
}

}  // namespace tessera
