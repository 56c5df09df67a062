// highlight: colours of the worksheet language's code (code_tokens.h) and of its prose. Pure; colours are literals here
// because only code uses them (the palette of figures has no keywords). The test checks a contrast of at least 4.5:1 on
// the pane and on the caret's line, in both themes.
#pragma once

#include "app/engine/help/code_tokens.h"
#include "app/views/editor/sheet_layout.h"
#include "render/figure/palette.h"

namespace tessera {

[[nodiscard]] Rgba colorOf(CodeInk ink, Theme theme);
// Ink::Source has no colour here.
[[nodiscard]] Rgba colorOf(Ink ink, Theme theme);

}  // namespace tessera
