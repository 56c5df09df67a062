// PNG bytes of an RGBA image (rows top to bottom), or a Diag if this build has no Cairo; and PPM bytes, which a script
// can read without a library.
#pragma once

#include <string>

#include "core/base/result.h"

namespace tessera {

[[nodiscard]] Result<std::string> encodePng(int width, int height, const unsigned char* rgba);
[[nodiscard]] Result<std::string> encodePpm(int width, int height, const unsigned char* rgba);

}  // namespace tessera
