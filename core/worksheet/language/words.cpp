#include "core/worksheet/language/words.h"

#include "core/base/chars.h"

namespace tessera {
std::size_t skipBlanks(std::string_view text, std::size_t i) {
  while (i < text.size() && isBlank(text[i])) ++i;
  return i;
}
std::size_t skipWord(std::string_view text, std::size_t i) {
  while (i < text.size() && isNamePart(text[i])) ++i;
  return i;
}
std::size_t trimEnd(std::string_view text, std::size_t begin, std::size_t end) {
  while (end > begin && isBlank(text[end - 1])) --end;
  return end;
}

std::size_t findClause(std::string_view text, std::size_t from, std::size_t to, std::string_view word) {
  std::size_t found = std::string_view::npos;
  int depth = 0;
  for (std::size_t i = from; i < to; ++i) {
    const char c = text[i];
    if (c == '"') {
      i = text.find('"', i + 1);
      if (i == std::string_view::npos || i >= to) break;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (depth == 0 && c == word[0] && i > from && isBlank(text[i - 1]) && text.substr(i, word.size()) == word &&
               (i + word.size() >= to || isBlank(text[i + word.size()]))) {
      found = i;
    }
  }
  return found;
}

Result<std::string> wordOf(const Node& node, std::string_view expected) {
  if (node.kind == Node::Kind::Name) return node.text;
  if (node.kind == Node::Kind::Literal && node.literal == LiteralKind::Word) return node.text;
  if (node.kind == Node::Kind::Literal && node.literal == LiteralKind::String && node.text.size() >= 2) {
    return node.text.substr(1, node.text.size() - 2);
  }
  return Diag{"a name is expected here, not an expression", std::string(expected), "", node.span};
}

}  // namespace tessera
