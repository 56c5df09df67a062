// fuzzy: how well typed letters match a name. Letters must occur in order; the score rates the match.
//
//     fuzzyScore("swiz", "The swizzle")   high: prefix of a word
//     fuzzyScore("ldm", "ldmatrix.x4")    higher: prefix of the name
//     fuzzyScore("lp", "logical_product") low, but a match: initials of its words
//     fuzzyScore("xyz", "logical")        none
#pragma once

#include <optional>
#include <string_view>

namespace tessera {

// Case-insensitive. Greater is better; the empty query matches everything with 0. All blank-separated words of the
// query must match.
[[nodiscard]] std::optional<int> fuzzyScore(std::string_view query, std::string_view candidate);

}  // namespace tessera
