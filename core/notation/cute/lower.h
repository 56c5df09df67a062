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

}  // namespace tessera::cute
