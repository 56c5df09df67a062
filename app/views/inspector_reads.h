// inspector_reads: what the inspector says of a cell in the reads view of an HLO instruction: an element of the output and what it reads
// of each operand, an element of an operand and who reads it.
#pragma once

#include <optional>
#include <vector>

#include "app/views/inspector.h"

namespace tessera::panes {

// nullopt: the cell is of another picture.
[[nodiscard]] std::optional<std::vector<Fact>> readsFacts(const Outcome& seen, const Hover& cell);

}  // namespace tessera::panes
