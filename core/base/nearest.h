// Edit distance and suggestions ("did you mean ...?"): the number of typing errors between two words, and the closest
// of several candidates.
//
//     editDistance("szie", "size") == 2        a byte inserted, removed or replaced is one error; two swapped are two
//     nearest("compositon", {"coalesce", "composition"}) == "composition"
//     nearest("zzzzzz", {"size"}) == nullopt   nothing is close enough
//
// Law: editDistance is a metric (0 only for equal words, symmetric, triangle inequality), and at most the length of the
// longer word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b);

// The first candidate at the smallest distance to `word`, if that distance is at most 1 for words of up to three bytes,
// and at most 1 + size / 3 for longer ones. nullopt for words above 64 bytes; `word` itself is not a candidate.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);
// As a hint: "did you mean composition?"; empty if no candidate is close.
[[nodiscard]] std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates);

// The common beginning and the common end of two sequences. They overlap in neither sequence.
//
//     commonEnds("one two", "one more two")   ->   {4, 4}
struct CommonEnds {
  std::size_t front = 0, back = 0;
};

template <typename A, typename B, typename Equal = std::equal_to<>>
[[nodiscard]] CommonEnds commonEnds(const A& a, const B& b, Equal equal = {}) {
  const std::size_t most = std::min(a.size(), b.size());
  CommonEnds ends;
  while (ends.front < most && equal(a[ends.front], b[ends.front])) ++ends.front;
  while (ends.back < most - ends.front && equal(a[a.size() - 1 - ends.back], b[b.size() - 1 - ends.back])) ++ends.back;
  return ends;
}

}  // namespace tessera
