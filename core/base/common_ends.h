// The common beginning and the common end of two sequences. They do not overlap in either.
//
//     commonEnds("one two", "one more two")   ->   {4, 4}
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace tessera {

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
