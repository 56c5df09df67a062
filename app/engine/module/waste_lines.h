// The traffic of a kernel of an HLO module beyond what it needs (core/hlo/cost/waste.h): a line, and a line per
// operand.
//
//       1  %add.1  36 MB requested for 4 MB (9 times)   model.py:12
//            x  36 MB requested, 4 MB needed: each element is read twice; warps scattered ...
#pragma once

#include <string>

#include "core/hlo/cost/waste.h"
#include "core/worksheet/language/place.h"

namespace tessera {

// rank: from 1. Without a newline at the end.
[[nodiscard]] std::string wasteText(const hlo::Module& module, int rank, const hlo::KernelWaste& kernel);
[[nodiscard]] std::string wasteText(const hlo::OperandWaste& operand);
[[nodiscard]] std::string wasteJson(const hlo::Module& module, const LineIndex& lines, int rank,
                                    const hlo::KernelWaste& kernel);

}  // namespace tessera
