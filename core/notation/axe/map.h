// Axe layouts as Maps.
//
// toMap(L, (8,16)): Index digits d0 < 8, d1 < 16; one Fan digit r0, r1 .. a replica iter; one axis a hardware axis, in
// alphabetical order. The law: imageOf(coordinate) == forward(L, shape, coordinate), axis by axis.
// Digits are cut row-major (LinearOrder::Lex), so a comparison that reads linear indices colexicographically must use
// the same shape on both sides; toMap(L) with no shape has the one digit x.
// Where L groups by the shape each digit is cut on its own; otherwise the linear index is formed first.
#pragma once

#include "core/base/result.h"
#include "core/map/map.h"
#include "core/notation/axe/layout.h"

namespace tessera::axe {

[[nodiscard]] Result<Map> toMap(const Layout& layout, const std::vector<i64>& shape);
[[nodiscard]] Result<Map> toMap(const Layout& layout);  // over layout.domain()

}  // namespace tessera::axe
