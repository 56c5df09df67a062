#include "core/notation/xla/extent.h"

#include <algorithm>
#include <array>

#include "core/notation/xla/shape.h"

namespace tessera::xla {
namespace {

class XlaText : private Scan {
 public:
  explicit XlaText(std::string_view text) : Scan(text, kXlaText) {}

  [[nodiscard]] Found literal(std::size_t i) const {
    const Found name = instructionName(i);
    const std::size_t begin = name ? *name : i;
    const Found end = shape(begin);
    if (!end) return std::nullopt;
    return call(*end, name.has_value());
  }

 private:
  [[nodiscard]] std::size_t dotted(std::size_t i) const {  // add.936, all-reduce
    while (isNamePart(at(i)) || at(i) == '.' || (at(i) == '-' && isNamePart(at(i + 1)))) ++i;
    return i;
  }

  // f32, and F32, so that the parser says what is wrong with it.
  [[nodiscard]] static bool isType(std::string_view name) {
    std::string lower(name.substr(0, 20));
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return findType(lower) != nullptr || lower == "token" || lower == "opaque" || lower == "opaque_type";
  }

  [[nodiscard]] Found array(std::size_t i) const {
    const std::size_t end = nameEnd(i);
    if (end == i || !isType(text_.substr(i, end - i))) return std::nullopt;
    const std::size_t bracket = blanks(end);
    if (at(bracket) != '[') return std::nullopt;
    const Found dims = closed(bracket);
    const std::size_t brace = blanks(*dims);
    if (at(brace) != '{') return dims;
    const std::size_t inside = blanks(brace + 1);
    if (!isDigit(at(inside)) && at(inside) != '-' && at(inside) != ':') return dims;
    return closed(brace);
  }
  // Up to the end of the text when the bracket never closes: the reader says which one.
  [[nodiscard]] std::size_t closed(std::size_t i) const {
    const Found end = balanced(i);
    return end ? *end : text_.size();
  }
  [[nodiscard]] Found shape(std::size_t i) const {
    if (at(i) == 'b' && at(blanks(i + 1)) == '(' && array(blanks(blanks(i + 1) + 1))) return closed(blanks(i + 1));
    if (at(i) != '(') return array(i);
    std::size_t first = i;  // a tuple: its first element is a shape
    while (at(first) == '(' || (first > i && (at(first) == ')' || at(first) == ','))) first = blanks(first + 1);
    const bool buffer = at(first) == 'b' && at(blanks(first + 1)) == '(';
    if (!array(first) && !(buffer && array(blanks(blanks(first + 1) + 1)))) return std::nullopt;
    return closed(i);
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

  // opcode(arguments), attribute=value ... behind a shape; the shape's own end when there is none. Behind a bare shape
  // `or (...)` is the language's own; an instruction may be called or.
  [[nodiscard]] std::size_t call(std::size_t shapeEnd, bool named) const {
    const std::size_t begin = blanks(shapeEnd);
    const std::size_t end = isNameStart(at(begin)) ? dotted(begin) : begin;
    const std::string_view opcode = text_.substr(std::min(begin, text_.size()), end - begin);
    if (begin == shapeEnd || opcode.empty() || at(end) != '(') return shapeEnd;
    for (const std::string_view reserved : {"o", "or", "and", "not", "over"}) {
      if (!named && opcode == reserved) return shapeEnd;
    }
    const Found arguments = named ? closed(end) : balanced(end);
    if (!arguments) return shapeEnd;
    return attributes(*arguments);
  }

  // , dimensions={0}, metadata={...}, direction=LT: as long as `name=` follows a comma, with nothing in between. The next
  // argument of a call (`, x.1 = f32[2] ...`, `, offset = [[..`) has a blank there.
  [[nodiscard]] std::size_t attributes(std::size_t end) const {
    for (;;) {
      const std::size_t comma = blanks(end);
      if (at(comma) != ',') return end;
      const std::size_t name = blanks(comma + 1);
      const std::size_t equals = isNameStart(at(name)) ? dotted(name) : name;  // control-predecessors
      if (equals == name || at(equals) != '=' || at(equals + 1) == '=') return end;
      end = value(equals + 1);
    }
  }
  // Up to the comma, the blank or the bracket that ends it: {0}, "text", LT, [2,4]<=[8]T(1,0).
  [[nodiscard]] std::size_t value(std::size_t i) const {
    i = blanks(i);
    while (i < text_.size() && !isBlank(at(i)) && std::string_view(",)]}").find(at(i)) == std::string_view::npos) {
      if (at(i) == '"') {
        for (++i; i < text_.size() && at(i) != '"'; ++i) i += at(i) == '\\' ? 1 : 0;
        i = std::min(i + 1, text_.size());
      } else if (at(i) == '(' || at(i) == '[' || at(i) == '{') {
        i = closed(i);
      } else {
        ++i;
      }
    }
    return i;
  }
};

}  // namespace

Found extent(std::string_view text, std::size_t from) { return XlaText(text).literal(from); }

}  // namespace tessera::xla
