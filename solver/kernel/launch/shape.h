// The shape of a launch: text, and what the entry itself requires.
//
//     readExtents("4,2")                          {4, 2, 1}
//     completeShape(entry, ...)                   with .reqntid 128: the block is 128 threads, and no other is accepted
#pragma once

#include <array>
#include <string_view>

#include "core/base/result.h"
#include "solver/kernel/kernel.h"

namespace tessera::kernel {

using Extents = std::array<std::uint32_t, 3>;

// "X", "X,Y" or "X,Y,Z"; each at least 1.
[[nodiscard]] Result<Extents> readExtents(std::string_view text, std::string_view option);

struct GivenShape {
  std::optional<Extents> block, cluster;
};
// Sets the block and the cluster of the launch. A Diag if they contradict .reqntid, .maxntid or .reqnctapercluster, or
// if the cluster does not divide the grid.
[[nodiscard]] Result<void> completeShape(const ptx::Function& entry, const GivenShape& given, Launch& launch);

}  // namespace tessera::kernel
