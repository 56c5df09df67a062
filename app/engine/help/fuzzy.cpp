#include "app/engine/help/fuzzy.h"

#include <algorithm>

#include "core/base/chars.h"

namespace tessera {
namespace {

bool alnum(char c) { return isLetter(c) || isDigit(c); }

bool beginsWord(std::string_view s, std::size_t at) { return at == 0 || !alnum(s[at - 1]) || !alnum(s[at]); }

// The query as one substring, preferring the start of a word.
std::optional<int> whole(std::string_view q, std::string_view s) {
  std::optional<int> best;
  for (std::size_t at = 0; at + q.size() <= s.size(); ++at) {
    if (!std::equal(q.begin(), q.end(), s.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return lowerCase(a) == lowerCase(b); }))
      continue;
    const int score = at == 0 ? (q.size() == s.size() ? 1200 : 1000) : beginsWord(s, at) ? 800 : 500;
    if (!best || score > *best) best = score;
  }
  return best;
}

// Letters in order, preferring the next word's start to the next letter.
std::optional<int> scattered(std::string_view q, std::string_view s) {
  if (q.size() < 2 || q.size() > 64) return std::nullopt;
  int score = 300;
  std::size_t at = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    std::size_t found = std::string_view::npos;
    if (at < s.size() && lowerCase(s[at]) == lowerCase(q[k])) found = at;
    for (std::size_t j = at; j < s.size() && found == std::string_view::npos; ++j)
      if (lowerCase(s[j]) == lowerCase(q[k]) && beginsWord(s, j)) found = j;
    if (found == std::string_view::npos) return std::nullopt;
    if (k == 0 && !beginsWord(s, found)) return std::nullopt;
    if (found != at) score -= 20;
    at = found + 1;
  }
  return std::max(score, 1);
}

}  // namespace

std::optional<int> fuzzyScore(std::string_view query, std::string_view candidate) {
  int total = 0;
  for (std::size_t at = 0; at < query.size();) {
    if (query[at] == ' ') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(query.find(' ', at), query.size());
    const std::string_view word = query.substr(at, end - at);
    std::optional<int> score = whole(word, candidate);
    if (!score) score = scattered(word, candidate);
    if (!score) return std::nullopt;
    total += *score;
    at = end;
  }
  // On ties prefer the shorter candidate.
  return total == 0 ? 0 : total * 4 - static_cast<int>(std::min<std::size_t>(candidate.size(), 200));
}

}  // namespace tessera
