// The start of a block: its warps at the entry, with the registers that the machine fills in.
#pragma once

#include "solver/kernel/kernel.h"
#include "solver/kernel/machine/state.h"

namespace tessera::kernel {

// `tracks`: dependence is kept (dependence.h). `any`: what was never written has any value.
void start(Block& block, std::uint32_t index, const Program& program, const Launch& launch, bool tracks, bool any);

}  // namespace tessera::kernel
