// complement(A, M): the layout that fills what A does not cover of [0, M).
//
//     A = (2,2):(1,6), M = 24      A hits 0 1 6 7. Within the gaps: 3 steps of 2; after everything: 2 steps of 12.
//     complement = (3,2):(2,12)    (A, complement) hits each of 0..23 once
//
// Law: R is strictly increasing from R(0) = 0; all sums A(i) + R(j) differ (i over filter(A)); the largest extent *
// stride of (A,R) is at least M. If each stride of A is a multiple of the span before it, the sums are all of [0,
// that); otherwise the rest of a gap stays empty, as in CuTe: (2,2):(1,3), 8 -> 2:6 leaves 2 and 5.
//
// CuTe refuses modes that interleave, which have no separate gaps. If A repeats no value there is still a complement:
// the gap below their common factor, then copies of the whole, as close as possible without overlap.
//
//     A = (3,2):(2,3), M = 8           A hits 0 2 3 4 5 7, which differ modulo 6: complement = 2:6, 6 8 9 10 11 13
//
// Requires: A's values >= 0 and distinct ((4,2):(1,2) is not: A(2) =
// A(4) = 2). Refused: interleaved modes with more than 2^16 values.
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

[[nodiscard]] Result<Layout> complement(const Layout& a, i64 cotarget);
// cotarget = cosize(filter(A)): only A's own gaps (C++; pycute and cutegen use 1).
[[nodiscard]] Result<Layout> complement(const Layout& a);
// cotarget = product of the shape.
[[nodiscard]] Result<Layout> complement(const Layout& a, const IntTuple& shape);

}  // namespace tessera::cute
