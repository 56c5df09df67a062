// Ranking rows: the kernels of a module as rows beside a data flow, the most wasteful first (core/hlo/cost/waste.h).
//
// Law: row k is kernel k of the ranking, so all pictures of a module have the same rows and differ in their boxes.
#pragma once

#include <memory>
#include <vector>

#include "core/hlo/cost/waste.h"
#include "core/hlo/listing.h"
#include "render/figure/rows.h"

namespace tessera::hlo {

// `doors`: for each instruction of the drawn computation, its door in the figure; -1: none. A kernel in a body that the
// computation runs belongs to the box of the loop, call or conditional.
[[nodiscard]] std::shared_ptr<const RowSource> rankingRows(const Listing& listing,
                                                           std::shared_ptr<const Ranking> ranking, int computation,
                                                           const std::vector<int>& doors);

}  // namespace tessera::hlo
