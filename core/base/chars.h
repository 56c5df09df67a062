// Character classes shared by all parsers. ASCII only, in every locale; bytes of longer UTF-8 sequences are in none.
#pragma once

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
// Without blanks at either end.
[[nodiscard]] constexpr std::string_view stripped(std::string_view text) {
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace tessera
