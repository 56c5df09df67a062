#include "core/paste/framing.h"

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/words.h"

namespace tessera::paste {
namespace {

struct Line {
  std::size_t begin = 0, end = 0;  // without the line end
};

std::vector<Line> linesOf(std::string_view text) {
  std::vector<Line> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back({begin, end > begin && text[end - 1] == '\r' ? end - 1 : end});
    begin = end + 1;
  }
  return out;
}

std::string_view of(std::string_view text, Line line) { return text.substr(line.begin, line.end - line.begin); }

bool isBlankLine(std::string_view line) { return stripped(line).empty(); }

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at)
    if (text[at] != '\r') text[at] = ' ';
}

// No-break and zero-width blanks.
void plainBlanks(std::string& text) {
  for (const std::string_view wide : {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x8B", "\xE2\x80\x83"})
    for (std::size_t at = text.find(wide); at != std::string::npos; at = text.find(wide, at))
      blank(text, at, at + wide.size());
}

// ```cpp: a fence, with at most one word after it.
bool isFence(std::string_view line) {
  line = stripped(line);
  if (!line.starts_with("```") && !line.starts_with("~~~")) return false;
  while (!line.empty() && (line.front() == '`' || line.front() == '~')) line.remove_prefix(1);
  return std::ranges::none_of(stripped(line), [](char c) { return c == ' ' || c == '`'; });
}

// Blanks the fences, and the prose around them if each has its partner.
void fences(std::string& text, std::vector<std::string>& notes) {
  const std::vector<Line> lines = linesOf(text);
  const auto isFenceLine = [&](Line line) { return isFence(of(text, line)); };
  const auto count = std::ranges::count_if(lines, isFenceLine);
  if (count == 0) return;
  bool inside = count % 2 != 0, prose = false;
  for (const Line& line : lines) {
    const bool fence = isFenceLine(line);
    if (fence && count % 2 == 0) inside = !inside;
    if (!fence && inside) continue;
    prose = prose || (!fence && !isBlankLine(of(text, line)));
    blank(text, line.begin, line.end);
  }
  if (prose) notes.emplace_back("only the text between ``` and ``` is read");
}

// `> ` before each line, as in a reply.
void quotes(std::string& text) {
  const std::vector<Line> lines = linesOf(text);
  const auto quoted = [&](Line line) {
    const std::string_view all = of(text, line);
    return isBlankLine(all) || all == ">" || all.starts_with("> ");
  };
  if (!std::ranges::all_of(lines, quoted)) return;
  for (const Line& line : lines)
    if (!isBlankLine(of(text, line))) text[line.begin] = ' ';
}

bool isDiffHeader(std::string_view line) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"@@", "diff --git", "index ", "+++ ", "--- ", "\\ No newline"},
      [&](std::string_view mark) { return line.starts_with(mark); });
}

// Lines with + are kept, lines with - are the old ones.
void diff(std::string& text, std::vector<std::string>& notes) {
  const std::vector<Line> lines = linesOf(text);
  bool added = false, removed = false, first = true;
  for (const Line& line : lines) {
    const std::string_view all = of(text, line);
    if (isBlankLine(all)) continue;
    const bool header = isDiffHeader(all);
    if (!header && (first ? all[0] != '+' && all[0] != '-' : all[0] != '+' && all[0] != '-' && all[0] != ' ')) return;
    added = added || (!header && all[0] == '+');
    removed = removed || (!header && all[0] == '-');
    first = false;
  }
  if (!added) return;
  for (const Line& line : lines) {
    const std::string_view all = of(text, line);
    if (isBlankLine(all)) continue;
    blank(text, line.begin, isDiffHeader(all) || all[0] == '-' ? line.end : line.begin + 1);
  }
  if (removed) notes.emplace_back("of the diff, the new lines are read");
}

// The number at the begin of a line of code, and where it ends; false: there is none.
bool lineNumber(std::string_view line, i64& number, std::size_t& end) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos || !isDigit(line[begin])) return false;
  end = begin;
  while (end < line.size() && isDigit(line[end])) ++end;
  const auto value = wholeNumber(line.substr(begin, end - begin));
  if (!value) return false;
  number = *value;
  if (end < line.size() && (line[end] == ':' || line[end] == '|')) ++end;
  if (end < line.size() && line[end] != ' ' && line[end] != '\t') return false;
  while (end < line.size() && (line[end] == ' ' || line[end] == '\t')) ++end;
  if (end < line.size() && line[end] == '|') ++end;
  const std::string_view rest = stripped(line.substr(end));
  return rest.empty() || !isDigit(rest[0]);
}

bool beginsStatement(char c) { return std::string_view("{}#/%@\"").find(c) != std::string_view::npos; }

// Numbers that count the lines. A table has numbers alone, or rules between its rows.
void numbers(std::string& text) {
  const std::vector<Line> lines = linesOf(text);
  std::vector<std::size_t> ends;
  i64 expected = 0;
  bool first = true;
  for (const Line& line : lines) {
    const std::string_view all = of(text, line);
    ends.push_back(0);
    if (isBlankLine(all)) continue;
    i64 number = 0;
    if (!lineNumber(all, number, ends.back()) || (!first && number != expected)) return;
    const std::string_view rest = stripped(all.substr(ends.back()));
    if (first && (rest.empty() || (!isNameStart(rest[0]) && !beginsStatement(rest[0])))) return;
    expected = number + 1;
    first = false;
  }
  if (ends.size() < 2) return;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t begin = lines[i].begin;
    for (std::size_t at = begin; at < begin + ends[i]; ++at)
      if (isDigit(text[at]) || text[at] == ':' || text[at] == '|') text[at] = ' ';
  }
}

}  // namespace

std::string withoutFraming(std::string_view text, std::vector<std::string>& notes) {
  std::string out(text);
  plainBlanks(out);
  fences(out, notes);
  quotes(out);
  diff(out, notes);
  numbers(out);
  return out;
}

}  // namespace tessera::paste
