// What may follow a name without a blank and belong to it: the dots and the angle brackets of hardware names, and the
// template arguments of a call.
//
//     ldmatrix.x4                                  acceptDotted behind `ldmatrix`
//     SM120_16x8x32_TN<e4m3,e4m3,f32>              acceptTemplateWord behind `SM120_16x8x32_TN`
//     select<0,2>(L)                               acceptTemplateArguments behind `select`: {"0", "2"}
//     SM80_16x8x16_F32F16F16F32_TN{}               acceptBraces behind the name: C++'s value of the type
//
// A `<` compares unless what stands behind the matching `>` says otherwise: A < B is none of them. Each leaves the cursor
// behind what it accepts, else where it was.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/cursor.h"

namespace tessera {

// .part.part, unless a `(` follows: f.x(1) is a call.
[[nodiscard]] bool acceptDotted(Cursor& in);
// <a,b> with the end, a `,` or a `)` behind it.
[[nodiscard]] bool acceptTemplateWord(Cursor& in);
// {}
bool acceptBraces(Cursor& in);
// <a,-1,b> with a `(` behind it; blanks are dropped.
[[nodiscard]] std::optional<std::vector<std::string>> acceptTemplateArguments(Cursor& in);

}  // namespace tessera
