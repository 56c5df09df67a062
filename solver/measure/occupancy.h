// Occupancy: how many warps of a kernel are on a multiprocessor at once: what is left of its registers, shared memory, warps and blocks.
//
//     sm_80, 256 threads of 128 registers, 48 KiB shared:  registers allow 2 blocks, shared memory 3, warps 8     16 of 64 warps
//
// The numbers and the rule are those of core/codegen/multiprocessor.h: a warp has its registers in steps of 256, in one of four quarters
// of the multiprocessor; warps of a block need not be four. One warp of 24 registers a block: 84 warps have registers, 32 blocks fit.
//
// Law: it is what the driver's cuOccupancyMaxActiveBlocksPerMultiprocessor says, without a driver.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/types.h"

namespace tessera::measure {

struct Occupancy {
  i64 blocks = 0, warps = 0, mostWarps = 0;
};
// Nothing for an architecture that is not in the table. Requires: threads >= 1.
[[nodiscard]] std::optional<Occupancy> occupancyOf(std::string_view architecture, i64 threads, i64 registers,
                                                   i64 sharedBytes);

}  // namespace tessera::measure
