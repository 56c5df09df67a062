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
#pragma once

#include <variant>

#include "core/base/result.h"
#include "core/map/map.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

[[nodiscard]] Result<std::variant<Layout, ComposedLayout>> fromMap(const Map& map);

}  // namespace tessera::cute
