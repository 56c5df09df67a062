// Splits a text into words; converts a text to an integer.
//
//     wordsIn("64, 128", ", ")     "64", "128"          wholeNumber("64")     64
//     wordsIn("sm_90a")            "sm_90a"             wholeNumber("64x")    nullopt
//     textLines("a\nb\n")        "a", "b"
//     namePartsIn("r*64 + (c ^ r)")    "r", "64", "c", "r"
//
// Laws: no word is empty or has a separator in it. A name part is a longest run of letters, digits and _. wholeNumber
// accepts what std::from_chars reads, if that is the whole text.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/chars.h"
#include "core/base/types.h"

namespace tessera {

[[nodiscard]] inline std::vector<std::string_view> wordsIn(std::string_view text, std::string_view separators = " ") {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Names and numbers in order; each is a part of `text`.
[[nodiscard]] inline std::vector<std::string_view> namePartsIn(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && isNamePart(text[end])) ++end;
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Without their line ends; a line end at the end of the text begins no further line.
[[nodiscard]] inline std::vector<std::string_view> textLines(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

[[nodiscard]] inline std::optional<i64> wholeNumber(std::string_view text) {
  i64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace tessera
