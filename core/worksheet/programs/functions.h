// The functions of the language about modules, tiles and code; joined with the others by addPrograms().
#pragma once

#include <span>

#include "core/worksheet/functions/functions.h"

namespace tessera {

[[nodiscard]] std::span<const Function> hloFunctions();
[[nodiscard]] std::span<const Function> tileFunctions();
[[nodiscard]] std::span<const Function> codeFunctions();

}  // namespace tessera
