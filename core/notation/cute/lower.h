// Lowering: every CuTe notation as a Map.
//
//     (4,8):(8,1)                  (i0, i1) -> (offset: i0 * 8 + i1)
//     (4,5):(1@1,1@0)              (i0, i1) -> (c0: i1, c1: i0)
//     Sw<1,0,3> o 0 o (4,8):(8,1)  x xor ((x floordiv 8) mod 2) with x = i0 * 8 + i1
//
// One Index digit per leaf mode, in flattened order (i0 fastest: CuTe is colexicographic). One axis "offset" with the
// extent that the notation declares (cosize, or the swizzle's larger codomain); no extent if values may be negative.
// Law: toMap(composition(a, b)) == toMap(b).then(toMap(a)) as tables.
#pragma once

#include <variant>

#include "core/base/result.h"
#include "core/map/map.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"

namespace tessera::cute {

[[nodiscard]] Result<Map> toMap(const Layout& layout);
[[nodiscard]] Result<Map> toMap(const ComposedLayout& layout);
// A swizzle has no intrinsic extent; swizzle.period() is the smallest that shows it completely.
[[nodiscard]] Result<Map> toMap(const Swizzle& swizzle, i64 extent);

// fromMap: a map as a CuTe layout, if there is one.
//
//     (i, j) -> i*8 + j, 4 x 8                              (4,8):(8,1)
//     (i, j) -> (i floordiv 2)*8 + i mod 2 + j*2            ((2,2),4):((1,8),2)      two leaves in one mode
//     (i, j) -> i*64 + ((j floordiv 8) xor i)*8 + j mod 8   Sw<3,3,3> o 0 o (8,64):(64,1)
//     (i) -> i*4 + 3                                        Sw<0,0,0> o 3 o 5:4      an offset needs a composed layout
//
// One mode per Index digit, in order; a split digit is a nested mode, its leaves fastest first.
// Law: toMap(fromMap(m)) and m agree at every point, read through the colex linear index.
// Not supported: what asSwizzled (core/map/forms/swizzled.h) refuses, Fan digits (a CuTe coordinate has one place) and
// guards (a CuTe layout has no padding).
[[nodiscard]] Result<std::variant<Layout, ComposedLayout>> fromMap(const Map& map);

}  // namespace tessera::cute
