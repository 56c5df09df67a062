// The fonts of the system, found by fontconfig and rasterized with FreeType. Cached: a change of scale should be fast.
#pragma once

#include "app/widgets/font_source.h"

namespace tessera::ui {

[[nodiscard]] const FontSource& systemFonts();

}  // namespace tessera::ui
