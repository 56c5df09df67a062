#include "core/base/nearest.h"

#include <algorithm>

namespace tessera {

namespace {
constexpr std::size_t kLongest = 64;
}  // namespace

std::size_t editDistance(std::string_view a, std::string_view b) {
  // row[j]: from the first i bytes of a to the first j of b.
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kLongest) return std::nullopt;
  const std::string* best = nullptr;
  std::size_t bestDistance = word.size() <= 3 ? 2 : 2 + word.size() / 3;  // exclusive
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest || candidate == word) continue;
    const std::size_t distance = editDistance(word, candidate);
    // A word of which nothing is left is no typing error of it.
    if (distance < bestDistance && distance < std::max(word.size(), candidate.size())) {
      bestDistance = distance;
      best = &candidate;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

}  // namespace tessera
