#include "core/notation/triton/module_text.h"

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/work.h"

namespace tessera::triton::module_text {
namespace {

constexpr std::size_t kLongestPiece = 8192;  // a type or a loc(..); longer ones are not closed

bool opens(char c) { return c == '(' || c == '[' || c == '<' || c == '{'; }
bool closes(std::string_view text, std::size_t at) {
  const char c = text[at];
  return c == ')' || c == ']' || c == '}' || (c == '>' && (at == 0 || text[at - 1] != '-'));
}
// The position after the string that begins at `at`.
std::size_t stringEnd(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at, text.size());
}

void blank(std::string& text, std::size_t from, std::size_t to) {
  for (; from < to; ++from)
    if (text[from] != '\n') text[from] = ' ';
}

bool beginsPlace(std::string_view text, std::size_t at) {
  return text.substr(at, 4) == "loc(" && at > 0 && (isBlank(text[at - 1]) || text[at - 1] == ')');
}

// memdescs may be printed without their word.
std::string wholeType(std::string_view type) {
  type = stripped(type);
  return type.starts_with('<') ? "!ttg.memdesc" + std::string(type) : std::string(type);
}

// Separated by commas, or by the ` * ` of a dot; one pair of parentheses around all is dropped.
std::vector<std::string> typesIn(std::string_view text) {
  text = stripped(text);
  while (text.ends_with('{')) text = stripped(text.substr(0, text.size() - 1));
  if (text.starts_with('(')) {
    const std::size_t close = closing(text, 0);
    text = stripped(text.substr(1, (close == std::string_view::npos ? text.size() : close) - 1));
  }
  std::vector<std::string> types;
  std::size_t begin = 0, end = text.size();
  int depth = 0;
  const auto add = [&](std::size_t at) {
    const std::string_view type = stripped(text.substr(begin, std::min(end, at) - begin));
    if (!type.empty()) types.push_back(wholeType(type));
    begin = at + 1;
    end = text.size();
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = stringEnd(text, at);
    } else if (depth == 0 && (c == ',' || (c == '*' && at > 0 && text[at - 1] == ' '))) {
      add(at);
    } else if (opens(c)) {
      if (depth++ == 0 && c == '{') end = std::min(end, at);  // attributes after a type
    } else if (closes(text, at)) {
      --depth;
    }
  }
  add(text.size());
  return types;
}

}  // namespace

std::string withoutCommentsAndPlaces(std::string_view text) {
  std::string clean(text);
  for (std::size_t at = 0; at < clean.size(); ++at) {
    if (clean[at] == '"') {
      at = stringEnd(clean, at);
    } else if (clean[at] == '/' && at + 1 < clean.size() && clean[at + 1] == '/') {
      const std::size_t end = std::min(clean.find('\n', at), clean.size());
      blank(clean, at, end);
    } else if (clean[at] == 'l' && beginsPlace(clean, at)) {
      const std::size_t close = closing(std::string_view(clean).substr(0, at + kLongestPiece), at + 3);
      if (close != std::string_view::npos) blank(clean, at, close + 1);
    }
  }
  spend(1 + static_cast<Work>(text.size() / 16));
  return clean;
}

std::size_t statementEnd(std::string_view text, std::size_t from) {
  constexpr std::size_t kMostLines = 200;
  int depth = 0;
  std::size_t lines = 0, firstEnd = std::string_view::npos;
  char last = ' ';
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = stringEnd(text, at);
      last = '"';
      continue;
    }
    if (c == '\n') {
      firstEnd = std::min(firstEnd, at);
      if (depth <= 0 || last == '{' || ++lines == kMostLines) return lines == kMostLines ? firstEnd : at;
    } else if (!isBlank(c)) {
      // Braces do not count: those that stay open hold statements.
      if (c != '{' && opens(c)) ++depth;
      if (c != '}' && closes(text, at)) --depth;
      last = c;
    }
  }
  return depth > 0 && firstEnd != std::string_view::npos ? firstEnd : text.size();
}

std::size_t skipSpace(std::string_view text, std::size_t at) {
  while (at < text.size() && isBlank(text[at])) ++at;
  return at;
}

std::size_t nameEnd(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && (isNamePart(text[at]) || text[at] == '.' || text[at] == '-' || text[at] == '$'); ++at)
    if (text[at] == '-' && at + 1 < text.size() && text[at + 1] == '>') break;
  return at;
}

std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '"') {
      at = stringEnd(text, at);
    } else if (opens(text[at])) {
      ++depth;
    } else if (closes(text, at) && --depth == 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

std::size_t topLevel(std::string_view text, std::string_view token, std::size_t from) {
  int depth = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (depth == 0 && text.substr(at, token.size()) == token) return at;
    if (text[at] == '"')
      at = stringEnd(text, at);
    else if (opens(text[at]))
      ++depth;
    else if (closes(text, at))
      --depth;
  }
  return std::string_view::npos;
}

std::string typeAt(std::string_view text) {
  text = text.substr(0, kLongestPiece);
  int depth = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && (c == ',' || c == ')' || c == '{' || c == '\n')) break;
    if (c == '"')
      at = stringEnd(text, at);
    else if (opens(c))
      ++depth;
    else if (closes(text, at))
      --depth;
  }
  return wholeType(text.substr(0, std::min(at, text.size())));
}

std::size_t typesAt(std::string_view statement) {
  int depth = 0;
  std::size_t found = std::string_view::npos;
  for (std::size_t at = 0; at < statement.size(); ++at) {
    const char c = statement[at];
    if (c == '"')
      at = stringEnd(statement, at);
    else if (opens(c))
      ++depth;
    else if (closes(statement, at))
      depth = std::max(depth - 1, 0);  // `}) : ...` begins inside a region
    else if (c == ':' && depth == 0 && at > 0 && isBlank(statement[at - 1]))
      found = at;
  }
  return found;
}

TypeLists typeListsOf(std::string_view s, std::size_t colon) {
  TypeLists lists;
  // A loop or a branch has its results after `->`, and no colon before it.
  const std::size_t from = colon == std::string_view::npos ? 0 : colon + 1;
  const std::string_view rest = s.substr(from);
  std::size_t arrow = topLevel(rest, "->"), skip = 2;
  if (arrow == std::string_view::npos && colon != std::string_view::npos) {
    arrow = topLevel(rest, " to ");
    skip = 4;
  }
  lists.arrow = arrow != std::string_view::npos;
  if (colon != std::string_view::npos) lists.operands = typesIn(rest.substr(0, std::min(arrow, rest.size())));
  if (lists.arrow) {
    const std::string_view after = rest.substr(arrow + skip);
    lists.results = typesIn(after.substr(0, std::min(topLevel(after, " : "), after.size())));
  }
  return lists;
}

std::vector<std::string> operandsIn(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    std::size_t end = nameEnd(text, at);
    const std::size_t next = skipSpace(text, end);
    if (next < text.size() && text[next] == '=') continue;
    if (end < text.size() && text[end] == '#')
      for (++end; end < text.size() && isDigit(text[end]);) ++end;
    names.emplace_back(text.substr(at, end - at));
  }
  return names;
}

std::vector<ModuleValue> iterationVariables(std::string_view s, std::size_t begin) {
  std::vector<ModuleValue> names;
  std::size_t open = s.find("iter_args(");
  open = open == std::string_view::npos ? s.find('(') : open + 9;
  if (open == std::string_view::npos) return names;
  const std::size_t close = std::min(closing(s, open), s.size());
  for (std::size_t at = s.find('%', open); at < close; at = s.find('%', at + 1)) {
    const std::size_t end = nameEnd(s, at), next = skipSpace(s, end);
    if (next < s.size() && s[next] == '=')
      names.push_back({std::string(s.substr(at, end - at)), "", {begin + at, begin + end}});
  }
  return names;
}

}  // namespace tessera::triton::module_text
