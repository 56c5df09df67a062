// tessera hlo --worst: the kernels of a module by excess memory traffic, worst first (core/hlo/cost/waste.h).
#pragma once

#include "app/cli/io/output.h"
#include "core/hlo/text/module.h"

namespace tessera {

// Returns false if some kernel ran out of time, as its line says, if output is closed, or if interrupted.
bool tellWorst(const hlo::Module& module, double secondsEach, bool json, Output& out);

}  // namespace tessera
