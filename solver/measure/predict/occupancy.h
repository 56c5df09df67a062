// Occupancy: the number of a kernel's warps resident on a multiprocessor, limited by registers, shared memory, warps
// and blocks.
//
//     sm_80, 256 threads of 128 registers, 48 KiB shared: registers allow 2 blocks, shared memory 3, warps 8
//         2 blocks: 16 of 64 warps
//
// Limits and rule come from core/codegen/kernel/multiprocessor.h: registers are allocated per warp in steps of 256,
// from one of the four quarters of the multiprocessor; a block may have any number of warps. With one warp of 24
// registers per block, registers allow 84 warps, but only 32 blocks fit.
//
// Law: the result equals the driver's cuOccupancyMaxActiveBlocksPerMultiprocessor, without a driver.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/types.h"

namespace tessera::measure {

struct Occupancy {
  i64 blocks = 0, warps = 0, mostWarps = 0;
};
// nullopt if the architecture is not in the table. Requires: threads >= 1.
[[nodiscard]] std::optional<Occupancy> occupancyOf(std::string_view architecture, i64 threads, i64 registers,
                                                   i64 sharedBytes);

}  // namespace tessera::measure
