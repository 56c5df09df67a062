// The start of a block: its warps at the entry, with the registers that the machine fills in.
#pragma once

#include "solver/kernel/kernel.h"
#include "solver/kernel/machine/state.h"

namespace tessera::kernel {

// `at`: in the grid. `tracks`: dependence is kept (dependence.h). `any`: what was never written has any value.
// Requires: its rank in the cluster is set.
void start(Block& block, std::array<std::uint32_t, 3> at, const Program& program, const Launch& launch, bool tracks,
           bool any);

}  // namespace tessera::kernel
