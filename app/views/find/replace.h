// replace: find and replace in the worksheet's text, as words or as a regular expression. Pure.
//
//     replacedIn("A = 1\nAB", "a", "x", {})                       "x = 1\nxB"      any case
//     replacedIn("(4,8):(8,1)", "(\\d+),(\\d+)", "$2,$1", regex)  "(8,4):(1,8)"
//
// A regular expression (ECMAScript) is matched within lines; $1 is a group of it, $& the whole match.
// Laws (tests/gui/replace_test.cpp): occurrences are in order and do not overlap; replacing each with itself ($&) gives
// the same text. The time is polynomial in the line: patterns are matched without backtracking, so \1 is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::panes {

inline constexpr std::size_t kMostPatternLine = 4096;  // bytes; longer lines have no match of a regular expression

// Empty for an empty text. Refuses an expression that is none.
[[nodiscard]] Result<std::vector<Span>> occurrencesIn(std::string_view text, const std::string& wanted, bool regex);

struct Replaced {
  Span place;  // of the old text
  std::string with;
  std::size_t count = 0;
};
// Those within `within`, as one replacement; count 0 if there is none.
[[nodiscard]] Result<Replaced> replacedIn(std::string_view text, const std::string& wanted, const std::string& with,
                                          bool regex, Span within);

}  // namespace tessera::panes
