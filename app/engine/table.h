// Tables of the reports.
#pragma once

#include <string>
#include <vector>

namespace tessera {

// A line for each row, with aligned columns; numbers (from column `numbers` on, but not in the last) are aligned to the
// right.
[[nodiscard]] std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows, std::size_t numbers);

}  // namespace tessera
