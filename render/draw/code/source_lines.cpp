#include "render/draw/code/source_lines.h"

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/words.h"

namespace tessera {

std::vector<std::string> drawnLines(std::string_view text) {
  constexpr std::size_t kMostCharacters = 100;
  std::vector<std::string> out;
  for (const std::string_view line : textLines(text)) {
    std::string drawn;
    for (const char c : line) drawn += c == '\t' ? std::string("  ") : std::string(1, c);
    out.push_back(drawn.substr(0, codePointStart(drawn, kMostCharacters)));
  }
  return out;
}

std::vector<std::size_t> shownLines(std::size_t count, const std::vector<std::size_t>& marked) {
  constexpr std::size_t kMostWhole = 40, kNear = 5, kMostRows = 600;
  std::vector<std::size_t> out;
  for (std::size_t n = 1; n <= count && out.size() < kMostRows; ++n) {
    const bool near = std::ranges::any_of(marked, [&](std::size_t m) { return n + kNear >= m && n <= m + kNear; });
    if (count <= kMostWhole || near) {
      out.push_back(n);
    } else if (!out.empty() && out.back() != 0) {
      out.push_back(0);
    }
  }
  for (const std::size_t m : marked)  // lines of a source that was not found
    if (m > count && std::ranges::find(out, m) == out.end()) out.push_back(m);
  return out;
}

}  // namespace tessera
