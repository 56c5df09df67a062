#include "core/ptx/reader/tokens.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

namespace tessera::ptx {

namespace {

constexpr bool isPart(char c) { return isNamePart(c) || c == '$'; }

int digitOf(char c) {
  if (isDigit(c)) return c - '0';
  const char low = lowerCase(c);
  return low >= 'a' && low <= 'z' ? low - 'a' + 10 : 99;
}

// 0f3F800000 and 0d3FF0000000000000.
Result<Literal> exactFloat(Cursor& in, bool twice) {
  const std::size_t begin = in.position();
  in.advance(2);
  const int digits = twice ? 16 : 8;
  Literal out{twice ? Literal::Kind::Double : Literal::Kind::Single, false, 0};
  int seen = 0;
  for (; digitOf(in.raw()) < 16; in.advance(), ++seen) out.bits = out.bits << 4 | static_cast<u64>(digitOf(in.raw()));
  if (seen != digits || in.atNamePart())
    return in.failFrom(begin, fmt::format("this number has {} hexadecimal digits", seen),
                       fmt::format("{} digits", digits), twice ? "1.0 is 0d3FF0000000000000" : "1.0 is 0f3F800000");
  return out;
}

// 1.5, 2e10, .5: an f64.
Result<Literal> decimal(Cursor& in) {
  const std::size_t begin = in.position();
  const std::string_view rest = in.text().substr(begin);
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc{}) {
    while (in.atNamePart() || in.raw() == '.') in.advance();
    return in.failFrom(begin, "this number does not fit in an f64", "a number such as 0d3FF0000000000000");
  }
  in.advance(static_cast<std::size_t>(end - rest.data()));
  return Literal{Literal::Kind::Double, false, std::bit_cast<u64>(value)};
}

}  // namespace

std::string_view peekName(Cursor& in) {
  in.skipBlanks();
  const char first = in.raw();
  if (!isNameStart(first) && first != '$' && first != '%') return {};
  const std::string_view text = in.text();
  std::size_t end = in.position() + 1;
  while (end < text.size() && isPart(text[end])) ++end;
  if (first == '%' && end == in.position() + 1) return {};
  return text.substr(in.position(), end - in.position());
}

std::string_view takeName(Cursor& in) {
  const std::string_view name = peekName(in);
  in.advance(name.size());
  return name;
}

std::string_view peekDirective(Cursor& in) {
  in.skipBlanks();
  if (in.raw() != '.' || !isNameStart(in.raw(1))) return {};
  const std::string_view text = in.text();
  std::size_t end = in.position() + 2;
  while (end < text.size() && isNamePart(text[end])) ++end;
  return text.substr(in.position() + 1, end - in.position() - 1);
}

void takeDirective(Cursor& in, std::string_view word) { in.advance(word.size() + 1); }

std::string takeOpcode(Cursor& in) {
  std::string out(takeName(in));
  if (out.empty()) return out;
  while (in.peek() == '.' && isNamePart(in.raw(1))) {
    const std::size_t begin = in.position();
    in.advance();
    while (true) {
      while (isNamePart(in.raw())) in.advance();
      if (in.raw() != ':' || in.raw(1) != ':' || !isNamePart(in.raw(2))) break;
      in.advance(2);
    }
    out += in.text().substr(begin, in.position() - begin);
  }
  return out;
}

bool atNumber(Cursor& in) {
  in.skipBlanks();
  return isDigit(in.raw()) || (in.raw() == '.' && isDigit(in.raw(1)));
}

Result<Literal> number(Cursor& in) {
  const std::size_t begin = in.position();
  const char second = lowerCase(in.raw(1));
  if (in.raw() == '0' && (second == 'f' || second == 'd') && digitOf(in.raw(2)) < 16)
    return exactFloat(in, second == 'd');
  u64 base = 10;
  if (in.raw() == '0' && (second == 'x' || second == 'b')) {
    base = second == 'x' ? 16 : 2;
    in.advance(2);
  } else {
    std::size_t k = 0;
    while (isDigit(in.raw(k))) ++k;
    if (in.raw(k) == '.' || lowerCase(in.raw(k)) == 'e') return decimal(in);
    if (in.raw() == '0' && k > 1) base = 8;
  }
  const std::size_t digits = in.position();
  Literal out;
  bool fits = true;
  for (u64 d = static_cast<u64>(digitOf(in.raw())); d < base; d = static_cast<u64>(digitOf(in.raw()))) {
    fits = fits && out.bits <= (~u64{0} - d) / base;
    out.bits = out.bits * base + d;
    in.advance();
  }
  const bool some = in.position() > digits;
  if (in.raw() == 'U' || in.raw() == 'u') {
    out.isUnsigned = true;
    in.advance();
  }
  if (!some || in.atNamePart()) {
    while (in.atNamePart()) in.advance();
    return in.failFrom(
        begin,
        fmt::format("`{}` is not a number", in.text().substr(begin, std::min<std::size_t>(in.position() - begin, 40))),
        "a number such as 8, 0x1F or 0f3F800000");
  }
  if (!fits) return in.failFrom(begin, "this number does not fit in 64 bits", "a number below 2^64");
  if (out.bits > u64{INT64_MAX}) out.isUnsigned = true;
  return out;
}

Result<std::string> quoted(Cursor& in) {
  if (in.peek() != '"') return in.fail("a text in quotes is missing here", "\"...\"");
  const std::size_t begin = in.position() + 1;
  std::size_t end = begin;
  while (end < in.text().size() && in.text()[end] != '"' && in.text()[end] != '\n')
    end += in.text()[end] == '\\' ? std::size_t{2} : std::size_t{1};
  if (end >= in.text().size() || in.text()[end] != '"') return in.fail("this text is never closed", "\"");
  in.seek(end + 1);
  return std::string(in.text().substr(begin, end - begin));
}

std::string keptText(Cursor& in, std::string_view ends, bool lines) {
  std::string out;
  int depth = 0;
  in.skipBlanks();
  while (!in.atEnd()) {
    const char c = in.raw();
    if (depth == 0 && ends.find(c) != std::string_view::npos) break;
    if (c == '/' && in.raw(1) == '*') break;  // a comment that is never closed
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (depth < 0) break;
    const std::size_t begin = in.position();
    if (c == '"') {
      if (const auto text = quoted(in); !text) break;  // never closed in its line
    } else {
      in.advance();
    }
    out += in.text().substr(begin, in.position() - begin);
    const std::size_t blank = in.position();
    in.skipBlanks();
    if (in.position() == blank) continue;
    const bool line = lines && in.text().substr(blank, in.position() - blank).find('\n') != std::string_view::npos;
    out += line ? '\n' : ' ';
  }
  while (!out.empty() && isBlank(out.back())) out.pop_back();
  return out;
}

}  // namespace tessera::ptx
