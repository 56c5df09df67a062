// fuzzy: how well a few typed letters mean a name. Letters must occur in order; the score says how tellingly.
//
//     fuzzyScore("swiz", "The swizzle")   high: a word begins so
//     fuzzyScore("ldm", "ldmatrix.x4")    higher: the name begins so
//     fuzzyScore("lp", "logical_product") low, but a match: first letters of its words
//     fuzzyScore("xyz", "logical")        none
#pragma once

#include <optional>
#include <string_view>

namespace tessera {

// Without regard to case. Greater is better; the empty query matches everything with 0. Words of the query that blanks
// part must all match.
[[nodiscard]] std::optional<int> fuzzyScore(std::string_view query, std::string_view candidate);

}  // namespace tessera
