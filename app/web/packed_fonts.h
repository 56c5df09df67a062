// The fonts beside the page. A font with thousands of characters (Chinese, Japanese, Korean) is loaded when needed.
#pragma once

#include "app/widgets/font_source.h"

namespace tessera::ui {

// Of the files that are there by now.
[[nodiscard]] FontSource packedFonts();

}  // namespace tessera::ui
