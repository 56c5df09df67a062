// Character classes shared by all parsers. ASCII only, in every locale; bytes of longer UTF-8 sequences are in no
// class.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

[[nodiscard]] constexpr bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}
[[nodiscard]] constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
[[nodiscard]] constexpr bool isNameStart(char c) { return isLetter(c) || c == '_'; }
[[nodiscard]] constexpr bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }

[[nodiscard]] constexpr char lowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
[[nodiscard]] inline std::string lowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lowerCase(c);
  return out;
}
// The text without leading and trailing blanks.
[[nodiscard]] constexpr std::string_view stripped(std::string_view text) {
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return text;
}

// counted(1, "level") is "1 level", counted(0, "level") is "0 levels": for counts in messages.
[[nodiscard]] inline std::string counted(std::size_t n, std::string_view noun) {
  std::string out = std::to_string(n) + " ";
  out += noun;
  return n == 1 ? out : out + "s";
}

// Positions in a UTF-8 text at which a code point begins.

// Whether c is a byte of a code point other than its first.
[[nodiscard]] constexpr bool continuesCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// The largest position <= `at` where a code point begins; the end of the text counts as one.
[[nodiscard]] constexpr std::size_t codePointStart(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && continuesCodePoint(text[at])) --at;
  return at < text.size() ? at : text.size();
}
[[nodiscard]] constexpr std::size_t previousCodePoint(std::string_view text, std::size_t at) {
  return at == 0 ? 0 : codePointStart(text, at - 1);
}
[[nodiscard]] constexpr std::size_t nextCodePoint(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  for (++at; at < text.size() && continuesCodePoint(text[at]);) ++at;
  return at;
}

}  // namespace tessera
