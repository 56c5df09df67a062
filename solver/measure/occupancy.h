// Occupancy: how many warps of a kernel are on a multiprocessor at once: what is left of its registers, shared memory, warps and blocks.
//
//     sm_80, 256 threads of 128 registers, 48 KiB shared:  registers allow 2 blocks, shared memory 3, warps 8     16 of 64 warps
//
// From the CUDA C++ Programming Guide, "Compute Capabilities" (technical specifications): registers go to warps in steps of 256 and
// four warps at a time, shared memory in steps, with one KiB a block that the system takes from sm_80 on.
//
// It is what the driver's cuOccupancyMaxActiveBlocksPerMultiprocessor says, without a driver.
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
