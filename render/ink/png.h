// PNG bytes of an RGBA image (rows top to bottom). A Diag when this build has no Cairo.
#pragma once

#include <string>

#include "core/base/result.h"

namespace tessera {

[[nodiscard]] Result<std::string> encodePng(int width, int height, const unsigned char* rgba);

}  // namespace tessera
