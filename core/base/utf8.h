// Positions in a UTF-8 text that are not inside a code point.
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera {

// A byte of a code point other than its first.
[[nodiscard]] constexpr bool continuesCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// The largest position up to `at` where a code point begins; the end of the text is one.
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
