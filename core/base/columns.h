// columns: how wide a UTF-8 text is where every character takes one or two columns, as in a terminal.
//
//     columnsOf("abc") == 3      columnsOf of two ideographs == 4
//
// Law: columnsOf(a + b) == columnsOf(a) + columnsOf(b) if b begins with a code point.
#pragma once

#include <string_view>

#include "core/base/chars.h"

namespace tessera {

// The code point that begins at `at`; 0xfffd if its bytes are not UTF-8.
[[nodiscard]] constexpr char32_t codePointAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<char32_t>(static_cast<unsigned char>(text[k])); };
  const char32_t first = byte(at);
  if (first < 0x80) return first;
  const std::size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  if (first < 0xc0 || at + more >= text.size()) return 0xfffd;
  char32_t point = first & (0x3fU >> more);
  for (std::size_t k = 1; k <= more; ++k) point = (point << 6U) | (byte(at + k) & 0x3fU);
  return point;
}

// Whether a character takes two columns of a text with columns: East Asian scripts and their punctuation.
[[nodiscard]] constexpr bool isWide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf && c != 0x303f) || (c >= 0xac00 && c <= 0xd7a3) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
         (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
}

[[nodiscard]] constexpr std::size_t columnsOf(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size(); at = nextCodePoint(text, at))
    columns += static_cast<unsigned char>(text[at]) >= 0xe0 && isWide(codePointAt(text, at)) ? 2 : 1;
  return columns;
}

}  // namespace tessera
