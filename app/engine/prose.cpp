#include "app/engine/prose.h"

#include <algorithm>
#include <array>

#include "core/base/chars.h"

namespace tessera {
namespace {

bool blank(char c) { return c == ' ' || c == '\t'; }
bool alnum(char c) { return isLetter(c) || isDigit(c); }

// A commented-out statement: "A = ...", "prove injective(A)", "show A as grid".
bool isStatement(std::string_view s) {
  std::size_t at = 0;
  while (at < s.size() && isNamePart(s[at])) ++at;
  const std::string_view word = s.substr(0, at), rest = s.substr(at);
  if (word.empty()) return false;
  if (rest.substr(0, 3) == " = ") return true;
  constexpr std::array<std::string_view, 4> kClaims = {"show", "prove", "assert", "find"};
  if (std::ranges::find(kClaims, word) == kClaims.end()) return false;
  // "show S as grid", "prove injective(S)": the second word is a call or precedes a clause.
  std::size_t second = 0;
  while (second < rest.size() && blank(rest[second])) ++second;
  std::size_t end = second;
  while (end < rest.size() && (isNamePart(rest[end]) || rest[end] == '.')) ++end;
  if (end == second) return false;
  return rest[std::min(end, rest.size() - 1)] == '(' || rest.substr(end, 4) == " as " || rest.substr(end, 5) == " for ";
}

bool readItem(std::string_view text, std::size_t at, std::size_t end, CommentLine& line) {
  std::size_t mark = at;
  if (text[at] == '-' || text[at] == '*') {
    mark = at + 1;
  } else {
    while (mark < end && mark < at + 3 && isDigit(text[mark])) ++mark;
    if (mark == at || mark >= end || text[mark] != '.') return false;
    ++mark;
  }
  if (mark + 1 >= end || text[mark] != ' ') return false;
  line.kind = CommentKind::Item;
  line.markBegin = at;
  line.markEnd = mark;
  line.level = std::min(3, line.indent / 2);
  line.content = mark + 1;
  while (line.content < end && text[line.content] == ' ') ++line.content;
  return true;
}

}  // namespace

std::optional<CommentLine> readComment(std::string_view text, std::size_t begin, std::size_t end) {
  while (begin < end && blank(text[begin])) ++begin;
  if (text.substr(begin, std::min<std::size_t>(2, end - begin)) != "//") return std::nullopt;
  CommentLine line;
  std::size_t at = begin + 2;
  const std::size_t bars = at;
  while (at < end && text[at] == ' ') ++at;
  if (at == end || (text[at] == '\r' && at + 1 == end)) {
    line.kind = CommentKind::Blank;
    line.content = end;
    return line;
  }
  line.indent = static_cast<int>(std::min<std::size_t>(at - bars, 64));
  line.content = at;
  const std::string_view words = text.substr(at, end - at);
  if (line.indent == 0 || isStatement(words)) {
    line.kind = CommentKind::Verbatim;
    return line;
  }
  const std::size_t hashes = std::min(words.find_first_not_of('#'), words.size());
  if (hashes >= 1 && hashes <= 3 && hashes < words.size() && words[hashes] == ' ') {
    line.kind = CommentKind::Heading;
    line.level = static_cast<int>(hashes);
    line.content = at + std::min(words.find_first_not_of("# "), words.size());
    return line;
  }
  if (readItem(text, at, end, line)) return line;
  if (line.indent > 4) line.kind = CommentKind::Verbatim;
  return line;
}

bool flowsOn(const CommentLine& first, const CommentLine& next) {
  if (first.kind == CommentKind::Item) {
    // A line indented by four blanks below an item continues it and is not code.
    const bool words = next.kind == CommentKind::Text || next.kind == CommentKind::Verbatim;
    return words && next.indent > first.indent;
  }
  return first.kind == CommentKind::Text && next.kind == CommentKind::Text;
}

namespace {

struct Inline {
  std::string_view text;
  std::size_t end;
  std::vector<ProseSpan> out;

  void emit(std::size_t from, std::size_t to, Ink ink) {
    if (from < to) out.push_back({from, to, ink, 0, 0});
  }
  // The end of the mark that opens at `at`; npos if it is unclosed or no mark.
  [[nodiscard]] std::size_t closing(std::size_t at, std::size_t begin, std::string_view mark) const {
    const std::size_t inner = at + mark.size();
    if (inner >= end || blank(text[inner]) || (at > begin && alnum(text[at - 1]))) return std::string_view::npos;
    for (std::size_t k = inner + 1; k + mark.size() <= end; ++k) {
      if (text.substr(k, mark.size()) != mark || blank(text[k - 1])) continue;
      const std::size_t after = k + mark.size();
      if (after < end && (alnum(text[after]) || text[after] == mark[0])) continue;
      return k;
    }
    return std::string_view::npos;
  }
  // Parses "[words](target)" at `at`; on success moves `at` after it.
  bool link(std::size_t& at) {
    const std::size_t close = text.substr(0, end).find("](", at);
    if (close == std::string_view::npos || close == at + 1) return false;
    const std::size_t stop = text.substr(0, end).find(')', close + 2);
    if (stop == std::string_view::npos || stop == close + 2) return false;
    const std::string_view target = text.substr(close + 2, stop - close - 2);
    if (target.find(' ') != std::string_view::npos ||
        text.substr(at, close - at).find('[', 1) != std::string_view::npos)
      return false;
    out.push_back({at + 1, close, Ink::Link, close + 2, stop});
    at = stop + 1;
    return true;
  }
};

}  // namespace

std::vector<ProseSpan> proseSpans(std::string_view text, std::size_t begin, std::size_t end) {
  Inline in{text, end, {}};
  std::size_t from = begin, at = begin;
  const auto mark = [&](std::string_view m, Ink ink) {
    const std::size_t close = in.closing(at, begin, m);
    if (close == std::string_view::npos) return false;
    in.emit(from, at, Ink::Body);
    in.emit(at + m.size(), close, ink);
    from = at = close + m.size();
    return true;
  };
  while (at < end) {
    const char c = text[at];
    if (c == '`') {
      const std::size_t close = text.substr(0, end).find('`', at + 1);
      if (close != std::string_view::npos && close > at + 1) {
        in.emit(from, at, Ink::Body);
        in.emit(at + 1, close, Ink::Code);
        from = at = close + 1;
        continue;
      }
    } else if (c == '*' && text.substr(at, 2) == "**") {
      if (mark("**", Ink::Strong)) continue;
    } else if (c == '*' || c == '_') {
      if (mark(c == '*' ? "*" : "_", Ink::Emphasis)) continue;
    } else if (c == '[') {
      const std::size_t open = at, kept = in.out.size();
      if ((at == begin || !alnum(text[at - 1])) && in.link(at)) {
        const ProseSpan span = in.out[kept];
        in.out.pop_back();
        in.emit(from, open, Ink::Body);
        in.out.push_back(span);
        from = at;
        continue;
      }
    }
    ++at;
  }
  in.emit(from, end, Ink::Body);
  return std::move(in.out);
}

}  // namespace tessera
