// Axe layouts as Maps.
//
// toMap(L, (8,16)): Index digits d0 < 8, d1 < 16; one Fan digit r0, r1 .. per replica iter; one axis per hardware axis,
// in alphabetical order. Law: imageOf(coordinate) == forward(L, shape, coordinate), axis by axis. Digits are split
// row-major (LinearOrder::Lex), so a comparison that reads linear indices colexicographically must use the same shape
// on both sides; toMap(L) without a shape has one digit x. If L groups by the shape, each digit is split separately;
// otherwise the linear index is formed first.
#pragma once

#include "core/base/result.h"
#include "core/map/map.h"
#include "core/notation/axe/layout.h"

namespace tessera::axe {

[[nodiscard]] Result<Map> toMap(const Layout& layout, const std::vector<i64>& shape);
[[nodiscard]] Result<Map> toMap(const Layout& layout);  // over layout.domain()

}  // namespace tessera::axe
