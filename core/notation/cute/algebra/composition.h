// composition(A, B): the layout R with R(c) = A(B(c)). B selects elements of A; R gives their values.
//
//     A = (6,2):(8,2), B = (4,3):(3,1)      B steps through A by 3:  0 3 6 9
//     R = ((2,2),3):((24,2),8)              A(0) A(3) A(6) A(9) = 0 24 2 26 = (2,2):(24,2)
//
// Law: R(i) == A(B(i)) for every i, and shape(R) refines shape(B) (size(R) == size(B), each mode of B split).
// CuTe's result is returned whenever it satisfies the law, so the text matches CuTe. Where CuTe refuses or is wrong,
// the exact result is searched among all layouts whose shape refines B's: each leaf of B splits in at most one coarsest
// way (IndexFunction::split), and the leaves add up iff the joint box is linear:
//
//     composition((6,2):(1,7), (3,2):(2,3))   CuTe, pycute and others: (3,2):(2,3), wrong at i = 5 (7, not 8). Refused:
//     no layout of this shape satisfies R(i) = A(B(i)): at i = 5, A(B(5)) = A(7) = 8, but strides 2, 3 give 7
//
// It does not regroup B's modes: if R(c) is a layout only after that, it is refused.
// A mode of extent 1 keeps the stride that CuTe prints: 2:1 o 1:4 = 1:4.
// A's last mode is unbounded, as in CuTe: (4,3):(3,1) o 24:1 = (4,6):(3,1).
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/algebra/index_function.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

[[nodiscard]] Result<Layout> composition(const Layout& a, const Layout& b);
// Mode by mode; modes of A beyond the tiler are dropped (C++; pycute keeps them). `_` keeps its mode.
[[nodiscard]] Result<Layout> composition(const Layout& a, const Tiler& b);

// The operation on each mode of A with its entry of the tiler; modes beyond the tiler are kept or dropped.
using ByLayout = Result<Layout> (*)(const Layout&, const Layout&);
[[nodiscard]] Result<Layout> modeWise(const Layout& a, const Tiler& b, ByLayout operation, bool keepRest);

// One mode of CuTe's derivation for a leaf of B, before any check (shown by explain).
struct Step {
  StepMode mode;
  int leafOfA = 0;  // position among the leaves of coalesceUnbounded(A)
};
// CuTe's algorithm on one leaf extent:step of B; a Diag if its divisibility condition fails.
[[nodiscard]] Result<std::vector<Step>> stepsOf(const std::vector<LayoutLeaf>& coalescedA, i64 extent, i64 step);

}  // namespace tessera::cute
