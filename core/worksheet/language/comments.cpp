#include "core/worksheet/language/comments.h"

#include <algorithm>

#include "core/base/chars.h"
#include "core/code/index_code.h"
#include "core/notation/indexing/map.h"

namespace tessera {

std::size_t formulaDivisionsEnd(std::string_view statement) {
  if (!indexing::opensFormula(statement)) return 0;
  const std::string_view line = statement.substr(0, statement.find('\n'));
  for (std::size_t at = line.find("over"); at != std::string_view::npos; at = line.find("over", at + 1)) {
    std::size_t after = at + 4;
    if (isNamePart(line[at - 1]) || (after < line.size() && isNamePart(line[after]))) continue;
    while (after < line.size() && isBlank(line[after])) ++after;
    if (after < line.size() && (line[after] == '(' || isDigit(line[after]))) return at;
  }
  return 0;
}

bool opensLine(std::string_view text, std::size_t at) {
  while (at > 0 && isBlank(text[at - 1]) && text[at - 1] != '\n') --at;
  return at == 0 || text[at - 1] == '\n' || text[at - 1] == ';';
}

std::string_view divisorIn(std::string_view comment) {
  comment = stripped(comment);
  std::size_t end = comment.starts_with('-') ? 1 : 0;
  if (end < comment.size() && isDigit(comment[end])) {
    while (end < comment.size() && isNamePart(comment[end])) ++end;
  } else if (end < comment.size() && comment[end] == '(') {
    for (int open = 0; end < comment.size();) {
      open += comment[end] == '(' ? 1 : comment[end] == ')' ? -1 : 0;
      ++end;
      if (open == 0) break;
    }
    if (comment[end - 1] != ')') return {};
  } else {
    return {};
  }
  while (end < comment.size() && (comment[end] == ')' || comment[end] == ']' || isBlank(comment[end]))) ++end;
  return end == comment.size() ? comment : std::string_view();
}

std::string withoutComments(std::string_view text, bool slashesDivide) {
  std::string out(text);
  if (out.find('/') == std::string::npos) return out;
  const std::size_t divisions = formulaDivisionsEnd(text);
  int unclosed = 0;                      // blocks of code without an end, as in splitStatements
  bool inString = false, closes = true;  // closes: a "*/" may still follow
  for (std::size_t i = 0; i < out.size();) {
    if (out[i] == '"') inString = !inString;
    if (out[i] == '\n') inString = false;
    if (out[i] == '{' && !inString && unclosed < 16) {  // a block of code has its own comments
      const auto block = code::codeBlockEnd(text, i);
      if (block && *block != std::string_view::npos) {
        i = *block;
        continue;
      }
      unclosed += block ? 1 : 0;
    }
    std::size_t end = i + 1;
    const bool comment = !inString && out[i] == '/' && i + 1 < out.size();
    if (comment && out[i + 1] == '/') {
      const bool divides = i < divisions || (slashesDivide && !opensLine(text, i));
      if (divides) {
        i += 2;
        continue;
      }
      end = std::min(out.find('\n', i), out.size());
    } else if (comment && out[i + 1] == '*' && closes) {
      const std::size_t close = out.find("*/", i + 2);
      closes = close != std::string::npos;
      if (closes) end = close + 2;
    }
    for (std::size_t k = i; k < end && end > i + 1; ++k)
      if (out[k] != '\n') out[k] = ' ';
    i = end;
  }
  return out;
}

}  // namespace tessera
