#include "core/base/nearest.h"

#include <array>
#include <cstdint>

namespace tessera {

namespace {
constexpr std::size_t kLongest = 64;

// One column of the table at a time, its steps up and down as the bits of two words (Hyyro 2003, after Myers 1999).
// Requires: a has at most 64 bytes.
std::size_t byColumns(std::string_view a, std::string_view b) {
  std::array<std::uint64_t, 256> places{};  // bit i of places[c]: a[i] is c
  for (std::size_t i = 0; i < a.size(); ++i) places[static_cast<unsigned char>(a[i])] |= std::uint64_t{1} << i;
  std::uint64_t up = ~std::uint64_t{0}, down = 0;
  const std::uint64_t last = std::uint64_t{1} << (a.size() - 1);
  std::size_t distance = a.size();  // the last entry of the column
  for (const char c : b) {
    const std::uint64_t same = places[static_cast<unsigned char>(c)];
    const std::uint64_t diagonal = (((same & up) + up) ^ up) | same | down;
    std::uint64_t right = down | ~(diagonal | up), left = up & diagonal;
    distance += (right & last) != 0 ? 1 : 0;
    distance -= (left & last) != 0 ? 1 : 0;
    right = right << 1 | 1;  // the column's first entry grows by one
    left <<= 1;
    up = left | ~(diagonal | right);
    down = right & diagonal;
  }
  return distance;
}

std::size_t byRows(std::string_view a, std::string_view b) {
  // row[j]: distance of the first i bytes of a to the first j of b.
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
}  // namespace

std::size_t editDistance(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (a.empty()) return b.size();
  return a.size() <= 64 ? byColumns(a, b) : byRows(a, b);
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kLongest) return std::nullopt;
  const std::string* best = nullptr;
  std::size_t bestDistance = word.size() <= 3 ? 2 : 2 + word.size() / 3;  // exclusive
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest || candidate == word) continue;
    const std::size_t distance = editDistance(word, candidate);
    // A candidate that shares nothing with the word is not a typing error of it.
    if (distance < bestDistance && distance < std::max(word.size(), candidate.size())) {
      bestDistance = distance;
      best = &candidate;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto near = nearest(word, candidates);
  return near ? "did you mean " + *near + "?" : "";
}

}  // namespace tessera
