// inspector_reads: facts about a cell in the reads view of an HLO instruction: an output element and its reads of each
// operand, or an operand element and its readers.
#pragma once

#include <optional>
#include <vector>

#include "app/views/inspector/inspector.h"

namespace tessera::panes {

// nullopt: the cell is not of a reads picture.
[[nodiscard]] std::optional<std::vector<Fact>> readsFacts(const Outcome& seen, const Hover& cell);

}  // namespace tessera::panes
