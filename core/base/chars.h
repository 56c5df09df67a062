// Character classes shared by all parsers. ASCII only, in every locale; bytes of longer UTF-8 sequences are in none.
#pragma once

namespace tessera {

[[nodiscard]] constexpr bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}
[[nodiscard]] constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
[[nodiscard]] constexpr bool isNameStart(char c) { return isLetter(c) || c == '_'; }
[[nodiscard]] constexpr bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }

}  // namespace tessera
