// Suffixes that may directly follow a name: the dots and angle
// brackets of hardware names, and the template arguments of a call.
//
//     ldmatrix.x4                                  acceptDotted after `ldmatrix`
//     SM120_16x8x32_TN<e4m3,e4m3,f32>              acceptTemplateWord after `SM120_16x8x32_TN`
//     select<0,2>(L)                               acceptTemplateArguments after `select`: {"0", "2"}
//     SM80_16x8x16_F32F16F16F32_TN{}               acceptBraces after the name: C++'s value of the type
//
// A `<` is a comparison unless the text after the matching `>` shows otherwise: A < B is none of these. Each function
// leaves the cursor after what it accepts, or where it was.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/cursor.h"

namespace tessera {

// .part.part, unless a `(` follows: f.x(1) is a call.
[[nodiscard]] bool acceptDotted(Cursor& in);
// <a,b> followed by the end, a `,` or a `)`.
[[nodiscard]] bool acceptTemplateWord(Cursor& in);
// {}
bool acceptBraces(Cursor& in);
// <a,-1,b> followed by a `(`; blanks are dropped.
[[nodiscard]] std::optional<std::vector<std::string>> acceptTemplateArguments(Cursor& in);

}  // namespace tessera
