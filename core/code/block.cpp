// Blocks of code in a worksheet: where they end, and what follows them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/code/index_code.h"

namespace tessera::code {
namespace {

constexpr std::array<std::string_view, 5> kWords = {"cuda", "cpp", "c", "hip", "python"};

std::size_t blanksBefore(std::string_view text, std::size_t at) {
  while (at > 0 && isBlank(text[at - 1])) --at;
  return at;
}
std::string_view wordBefore(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && isNamePart(text[begin - 1])) --begin;
  return text.substr(begin, at - begin);
}

// The word of the language before a brace: cuda {, or cuda NAME { at the beginning of a line.
std::string_view languageBefore(std::string_view text, std::size_t brace) {
  const std::size_t end = blanksBefore(text, brace);
  const std::string_view last = wordBefore(text, end);
  if (last.empty()) return {};
  const std::size_t begin = end - last.size();
  const auto free = [&](std::size_t at) {
    return at == 0 || (text[at - 1] != '.' && text[at - 1] != '%' && text[at - 1] != '#');
  };
  if (languageOf(last) && free(begin)) return last;
  const std::size_t before = blanksBefore(text, begin);
  const std::string_view first = wordBefore(text, before);
  if (before == begin || !languageOf(first) || text.substr(before, begin - before).find('\n') != std::string_view::npos)
    return {};
  std::size_t line = before - first.size();
  while (line > 0 && (text[line - 1] == ' ' || text[line - 1] == '\t')) --line;
  return line == 0 || text[line - 1] == '\n' || text[line - 1] == ';' ? first : std::string_view();
}

// Past a string or a character that begins at i; i if none does.
std::size_t pastQuoted(std::string_view text, std::size_t i, bool python) {
  const char quote = text[i];
  if (quote != '"' && quote != '\'') return i;
  if (quote == '\'' && !python && i > 0 && isNamePart(text[i - 1])) return i;  // 1'000
  if (python && text.substr(i, 3) == std::string(3, quote)) {
    const std::size_t close = text.find(std::string(3, quote), i + 3);
    return close == std::string_view::npos ? i : close + 3;
  }
  for (std::size_t k = i + 1; k < text.size() && text[k] != '\n'; ++k) {
    if (text[k] == '\\') {
      ++k;
    } else if (text[k] == quote) {
      return k + 1;
    }
  }
  return i;
}

std::size_t pastComment(std::string_view text, std::size_t i, bool python) {
  if (python ? text[i] == '#' : text.substr(i, 2) == "//") return std::min(text.find('\n', i), text.size());
  if (python || text.substr(i, 2) != "/*") return i;
  const std::size_t close = text.find("*/", i + 2);
  return close == std::string_view::npos ? text.size() : close + 2;
}

// NAME = EXTENT, ... or EXTENT, ...
Result<void> readOver(Cursor& in, Given& given) {
  TESSERA_CHECKED(in.expect("(", "after over"));
  while (!in.accept(')')) {
    Given::Coordinate c;
    if (!in.atInteger()) {
      const std::size_t begin = in.start(), equals = in.text().find('=', begin);
      if (equals == std::string_view::npos ||
          in.text().substr(begin, equals - begin).find('\n') != std::string_view::npos)
        return in.fail("an extent is missing here", "over (row = 64, col = 64), or over (64, 64)");
      c.name = withoutBlanks(in.text().substr(begin, equals - begin));
      in.seek(equals + 1);
    }
    const std::size_t begin = in.start();
    TESSERA_TRY(c.extent, in.integer("an extent"));
    if (c.extent < 1) return in.failFrom(begin, "this extent is below 1", "an extent of at least 1");
    given.over.push_back(std::move(c));
    if (in.accept(')')) break;
    TESSERA_CHECKED(in.expect(",", "between two extents"));
  }
  return {};
}

// The end of a value: 8, (32, 32), bf16, unsigned int.
std::size_t valueEnd(std::string_view text, std::size_t i) {
  int depth = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth < 0) break;
    if (depth == 0 && (text[i] == ',' || text[i] == '\n' || text[i] == ';' || text[i] == '=' || text[i] == '!')) break;
  }
  return i;
}

// Whether NAME = follows, before the next comma.
bool atAssignment(const Cursor& in) {
  const std::string_view rest = in.text().substr(std::min(in.position(), in.text().size()));
  int depth = 0;
  for (std::size_t i = 0; i < rest.size() && i < 200; ++i) {
    const char c = rest[i];
    if (c == '(' || c == '[' || c == '<') ++depth;
    if ((c == ')' || c == ']' || c == '>') && --depth < 0) return false;
    if (c == '\n' || c == ';' || c == '{' || (depth == 0 && c == ',')) return false;
    if (c == '=') return rest.substr(i, 2) != "==" && i > 0;
  }
  return false;
}

Result<void> readWith(Cursor& in, Given& given) {
  const bool bracket = in.peek() == '(';
  if (bracket) in.advance();
  for (;;) {
    const std::size_t begin = in.start(), equals = in.text().find('=', begin);
    if (!atAssignment(in)) return in.fail("a constant is missing here", "with NAME = VALUE, NAME = VALUE");
    const std::string_view name = in.text().substr(begin, equals - begin);
    const std::size_t value = equals + 1, end = valueEnd(in.text(), value);
    Result<Given::Constant> constant = constantOf(name, stripped(in.text().substr(value, end - value)));
    if (!constant) {
      constant.error().span = {value, std::max(end, value + 1)};
      return constant.error();
    }
    given.constants.push_back(*std::move(constant));
    in.seek(end);
    Cursor ahead = in;
    if (!ahead.accept(',') || !atAssignment(ahead)) break;
    in.seek(ahead.position());
  }
  if (bracket) TESSERA_CHECKED(in.expect(")", "after the constants"));
  return {};
}

}  // namespace

std::optional<std::size_t> codeBlockEnd(std::string_view text, std::size_t brace) {
  const std::string_view word = languageBefore(text, brace);
  if (word.empty()) return std::nullopt;
  const bool python = word == "python";
  int depth = 0;
  for (std::size_t i = brace; i < text.size();) {
    if (const std::size_t past = pastQuoted(text, i, python); past > i) {
      i = past;
      continue;
    }
    if (const std::size_t past = pastComment(text, i, python); past > i) {
      i = past;
      continue;
    }
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i + 1;
    ++i;
  }
  return std::string_view::npos;
}

std::string_view codeBlockName(std::string_view statement) {
  Cursor in(statement);
  const std::string_view word = in.peekWord();
  if (!languageOf(word)) return {};
  in.advance(word.size());
  if (in.raw() != ' ') return {};
  const std::string_view name = in.peekWord();
  in.advance(name.size());
  return in.peek() == '{' ? name : std::string_view();
}

Result<std::optional<IndexCode>> parsePrefix(Cursor& in) {
  Cursor ahead = in;
  const std::string_view word = ahead.peekWord();
  if (std::ranges::find(kWords, word) == kWords.end()) return std::optional<IndexCode>();
  ahead.advance(word.size());
  if (ahead.peek() != '{') {
    const std::string_view name = ahead.peekWord();
    ahead.advance(name.size());
    if (name.empty() || ahead.peek() != '{') return std::optional<IndexCode>();
  }
  const std::size_t brace = ahead.start();
  const auto end = codeBlockEnd(in.text(), brace);
  if (!end || *end == std::string_view::npos)
    return Diag{"this block is never closed", "a '}' that closes it", "", {brace, brace + 1}};
  ahead.seek(*end);
  Given given;
  for (;;) {
    if (given.over.empty() && ahead.acceptWord("over")) {
      TESSERA_CHECKED(readOver(ahead, given));
    } else if (given.constants.empty() && ahead.acceptWord("with")) {
      TESSERA_CHECKED(readWith(ahead, given));
    } else {
      break;
    }
  }
  Result<IndexCode> code = indexCode(word, in.text().substr(brace + 1, *end - brace - 2), std::move(given));
  if (!code) {
    Diag diag = code.error();
    diag.span = diag.span.empty() ? Span{brace, *end} : diag.span.shifted(brace + 1);
    return diag;
  }
  in.seek(ahead.position());
  return std::optional(*std::move(code));
}

}  // namespace tessera::code
