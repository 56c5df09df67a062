// tessera hlo --worst: the kernels of a module, the one that asks memory for most beyond what it needs first (core/hlo/waste.h).
#pragma once

#include "app/cli/output.h"
#include "core/hlo/module.h"

namespace tessera {

// False once nobody reads.
bool tellWorst(const hlo::Module& module, bool json, Output& out);

}  // namespace tessera
