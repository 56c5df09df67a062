// Where an XLA shape or an instruction line ends. As in literal.cpp nothing is judged here.
#include <algorithm>
#include <array>

#include "core/notation/xla_shape.h"
#include "core/worksheet/syntax.h"

namespace tessera {
namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }

using Found = std::optional<std::size_t>;  // the end

class XlaText {
 public:
  explicit XlaText(std::string_view text) : text_(text) {}

  [[nodiscard]] Found literal(std::size_t i) const {
    const Found name = instructionName(i);
    const std::size_t begin = name ? *name : i;
    const Found end = shape(begin);
    if (!end) return std::nullopt;
    return call(*end);
  }

 private:
  [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  [[nodiscard]] std::size_t blanks(std::size_t i) const {
    for (;;) {
      while (isBlank(at(i))) ++i;
      if (text_.substr(std::min(i, text_.size()), 2) != "/*") return i;
      const std::size_t close = text_.find("*/", i + 2);
      if (close == std::string_view::npos) return i;
      i = close + 2;
    }
  }
  [[nodiscard]] std::size_t word(std::size_t i) const {
    if (isNameStart(at(i)))
      while (isNamePart(at(i))) ++i;
    return i;
  }
  [[nodiscard]] std::size_t dotted(std::size_t i) const {  // add.936, all-reduce
    while (isNamePart(at(i)) || at(i) == '.' || (at(i) == '-' && isNamePart(at(i + 1)))) ++i;
    return i;
  }

  [[nodiscard]] Found balanced(std::size_t i) const {
    std::string closers;
    for (; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') {
        i = text_.find('"', i + 1);
        if (i == std::string_view::npos) return std::nullopt;
      } else if (c == '/' && at(i + 1) == '*') {
        i = text_.find("*/", i + 2);
        if (i == std::string_view::npos) return std::nullopt;
        ++i;
      } else if (c == '(' || c == '[' || c == '{') {
        closers.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
      } else if (c == ')' || c == ']' || c == '}') {
        if (closers.empty() || closers.back() != c) return std::nullopt;
        closers.pop_back();
        if (closers.empty()) return i + 1;
      }
    }
    return std::nullopt;
  }

  // f32, and F32, so that the parser says what is wrong with it.
  [[nodiscard]] static bool isType(std::string_view name) {
    std::string lower(name.substr(0, 20));
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return findXlaType(lower) != nullptr || lower == "token" || lower == "opaque" || lower == "opaque_type";
  }

  [[nodiscard]] Found array(std::size_t i) const {
    const std::size_t end = word(i);
    if (end == i || !isType(text_.substr(i, end - i))) return std::nullopt;
    const std::size_t bracket = blanks(end);
    if (at(bracket) != '[') return std::nullopt;
    const Found dims = balanced(bracket);
    if (!dims) return std::nullopt;
    const std::size_t brace = blanks(*dims);
    if (at(brace) != '{') return dims;
    const std::size_t inside = blanks(brace + 1);
    if (!isDigit(at(inside)) && at(inside) != '-' && at(inside) != ':') return dims;
    const Found layout = balanced(brace);
    return layout ? layout : dims;
  }
  [[nodiscard]] Found shape(std::size_t i) const {
    if (at(i) == 'b' && at(blanks(i + 1)) == '(' && array(blanks(blanks(i + 1) + 1))) return balanced(blanks(i + 1));
    if (at(i) != '(') return array(i);
    std::size_t first = i;  // a tuple: its first element is a shape
    while (at(first) == '(') first = blanks(first + 1);
    const bool buffer = at(first) == 'b' && at(blanks(first + 1)) == '(';
    if (!array(first) && !(buffer && array(blanks(blanks(first + 1) + 1)))) return std::nullopt;
    return balanced(i);
  }

  // [ROOT] %add.1 =, before a shape.
  [[nodiscard]] Found instructionName(std::size_t i) const {
    if (text_.substr(i, 4) == "ROOT" && isBlank(at(i + 4))) i = blanks(i + 4);
    if (at(i) == '%') ++i;
    const std::size_t end = isNameStart(at(i)) ? dotted(i) : i;
    if (end == i) return std::nullopt;
    const std::size_t equals = blanks(end);
    if (at(equals) != '=' || at(equals + 1) == '=') return std::nullopt;
    return blanks(equals + 1);
  }

  // opcode(arguments), attribute=value ... behind a shape; the shape's own end when there is none.
  [[nodiscard]] std::size_t call(std::size_t shapeEnd) const {
    const std::size_t begin = blanks(shapeEnd);
    const std::size_t end = isNameStart(at(begin)) ? dotted(begin) : begin;
    const std::string_view opcode = text_.substr(std::min(begin, text_.size()), end - begin);
    if (begin == shapeEnd || opcode.empty() || at(end) != '(') return shapeEnd;
    for (const std::string_view reserved : {"o", "or", "and", "not", "over"}) {
      if (opcode == reserved) return shapeEnd;
    }
    const Found arguments = balanced(end);
    if (!arguments) return shapeEnd;
    const std::size_t comma = blanks(*arguments);
    if (at(comma) != ',') return *arguments;
    const std::size_t name = blanks(comma + 1);
    const std::size_t equals = blanks(word(name));
    if (word(name) == name || at(equals) != '=' || at(equals + 1) == '=') return *arguments;
    std::size_t last = text_.size();
    while (last > equals && isBlank(text_[last - 1])) --last;
    return last;
  }

  std::string_view text_;
};

}  // namespace

std::optional<LiteralExtent> scanXla(std::string_view text, std::size_t from) {
  const Found end = XlaText(text).literal(from);
  if (!end) return std::nullopt;
  return LiteralExtent{LiteralKind::Xla, *end};
}

}  // namespace tessera
