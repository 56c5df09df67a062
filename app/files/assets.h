// The files that come with Tessera: lessons, programs, kernels, the manual.
#pragma once

#include <string>

namespace tessera {

// TESSERA_ASSETS, else the installed ones, else those of the sources.
[[nodiscard]] std::string assetsFolder();

}  // namespace tessera
