// "Did you mean ...?": how many typing errors two words are apart, and which of many words was meant.
//
//     editDistance("szie", "size") == 2        a byte inserted, removed or replaced is one error; two swapped are two
//     nearest("compositon", {"coalesce", "composition"}) == "composition"
//     nearest("zzzzzz", {"size"}) == nullopt   nothing is near enough to have been meant
//
// Law: editDistance is a metric (0 only for equal words, symmetric, the triangle inequality), and it is at most the
// length of the longer word.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b);

// The first candidate of the smallest distance to `word`, when that is one error for words of up to three bytes, and
// one more for every three bytes of longer ones. Words beyond 64 bytes mean nothing, nor does the word itself.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tessera
