#include "app/engine/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows, std::size_t numbers) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::vector<std::string> out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c >= numbers && c + 1 < row.size() ? fmt::format("  {:>{}}", row[c], widths[c])
                                                 : fmt::format("  {:<{}}", row[c], widths[c]);
    out.emplace_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return out;
}

}  // namespace tessera
