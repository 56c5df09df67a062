#include "core/worksheet/language/template_words.h"

namespace tessera {
namespace {

// Skips <...> of names, blanks, commas and `also`.
bool acceptAngles(Cursor& in, std::string_view also) {
  if (in.raw() != '<') return false;
  Cursor ahead = in;
  int depth = 0;
  do {
    const char c = ahead.raw();
    if (!isNamePart(c) && !isBlank(c) && (c == '\0' || also.find(c) == std::string_view::npos)) return false;
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    ahead.advance();
  } while (depth > 0);
  in = ahead;
  return true;
}

}  // namespace

bool acceptDotted(Cursor& in) {
  Cursor ahead = in;
  while (ahead.raw() == '.' && isNamePart(ahead.raw(1))) {
    ahead.advance();
    while (isNamePart(ahead.raw()) || (ahead.raw() == ':' && ahead.raw(1) == ':'))
      ahead.advance(ahead.raw() == ':' ? 2 : 1);
  }
  if (ahead.position() == in.position() || ahead.raw() == '(') return false;
  in = ahead;
  return true;
}

bool acceptTemplateWord(Cursor& in) {
  Cursor word = in;
  if (!acceptAngles(word, "<>,:")) return false;
  Cursor behind = word;
  acceptBraces(behind);
  if (!behind.atEnd() && behind.peek() != ',' && behind.peek() != ')') return false;
  in = word;
  return true;
}

bool acceptBraces(Cursor& in) {
  if (in.raw() != '{' || in.raw(1) != '}') return false;
  in.advance(2);
  return true;
}

std::optional<std::vector<std::string>> acceptTemplateArguments(Cursor& in) {
  Cursor word = in;
  if (!acceptAngles(word, "<>,:-")) return std::nullopt;
  Cursor behind = word;
  if (behind.peek() != '(') return std::nullopt;
  std::vector<std::string> out(1);
  int depth = 0;
  for (in.advance(); in.position() + 1 < word.position(); in.advance()) {
    const char c = in.raw();
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c == ',' && depth == 0) {
      out.emplace_back();
    } else if (!isBlank(c)) {
      out.back() += c;
    }
  }
  in = word;
  return out;
}

}  // namespace tessera
