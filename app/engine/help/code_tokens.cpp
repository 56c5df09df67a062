#include "app/engine/help/code_tokens.h"

#include <algorithm>
#include <array>

#include "core/base/chars.h"

namespace tessera {
namespace {

constexpr std::array<std::string_view, 18> kTokenKeywords = {"task", "show",  "as",       "prove",   "assert", "by",
                                                             "find", "where", "run",      "compare", "and",    "or",
                                                             "not",  "hlo",   "graphene", "over",    "holds",  "means"};
// Keywords only at the start of a line or after a closing brace.
constexpr std::array<std::string_view, 20> kControl = {
    "for",   "if",  "else",  "sync",    "syncwarp", "commit", "wait",   "wgmma", "fence", "mbarrier",
    "check", "def", "param", "require", "assume",   "hint",   "answer", "wrong", "also",  "solved"};

CodeInk inkOf(std::string_view text, std::size_t at, std::size_t end, std::size_t limit) {
  const std::string_view word = text.substr(at, end - at);
  if (std::ranges::find(kTokenKeywords, word) != kTokenKeywords.end()) return CodeInk::Keyword;
  if (std::ranges::find(kControl, word) != kControl.end()) {
    const std::size_t before = text.substr(0, at).find_last_not_of(" \t{;");
    const bool first = before == std::string_view::npos || text[before] == '\n' || text[before] == '}';
    const bool call = word == "check" && end < limit && text[end] == '(';
    if (first && !call) return CodeInk::Keyword;
  }
  if (word.size() > 1 && word[0] == '_' && isDigit(word[1])) return CodeInk::Number;  // _8, CuTe's static number
  if (end < limit && (text[end] == '(' || text[end] == '<')) return CodeInk::Function;
  return CodeInk::Plain;
}

// Whether a quotation is open at that position of the line; for very long lines only the last part is scanned.
bool quotedAt(std::string_view text, std::size_t at) {
  constexpr std::size_t kMost = 4096;
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  const std::string_view before = text.substr(std::max(line, at - std::min(at, kMost)), std::min(at - line, kMost));
  return std::ranges::count(before, '"') % 2 != 0;
}

}  // namespace

std::span<const std::string_view> keywordNames() { return kTokenKeywords; }
std::span<const std::string_view> lineKeywordNames() { return kControl; }

std::vector<CodeToken> highlighted(std::string_view text, std::size_t begin, std::size_t end, std::size_t comment) {
  std::vector<CodeToken> out;
  const std::size_t code = std::max(begin, std::min(comment, end));
  bool quoted = quotedAt(text, begin);
  for (std::size_t at = begin; at < code;) {
    std::size_t stop = at;
    if (quoted || text[at] == '"') {  // a path or a name in it is not code
      const std::size_t close = text.find('"', quoted ? at : at + 1);
      stop = std::min(code, close == std::string_view::npos ? code : close + 1);
      quoted = false;
      out.push_back({at, stop, CodeInk::Plain});
    } else if (isNamePart(text[at])) {
      while (stop < code && isNamePart(text[stop])) ++stop;
      out.push_back({at, stop, isDigit(text[at]) ? CodeInk::Number : inkOf(text, at, stop, text.size())});
    } else {
      while (stop < code && !isNamePart(text[stop]) && text[stop] != '"') ++stop;
      out.push_back({at, stop, CodeInk::Plain});
    }
    at = stop;
  }
  if (code < end) out.push_back({code, end, CodeInk::Comment});
  return out;
}

}  // namespace tessera
