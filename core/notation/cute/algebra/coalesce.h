// coalesce and related operations: the same function with fewer modes.
//
//     coalesce((2,(1,6)):(1,(6,2))) = 12:1        2:1 then 6:2 is one run of 12; the extent-1 mode has no effect
//
// Two layouts of one size are the same function exactly when their coalesced forms are equal.
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

// Ensures: coalesce(L)(i) == L(i) for 0 <= i < size, depth <= 1, no two neighbours merge; all extents 1 gives 1:0.
[[nodiscard]] Result<Layout> coalesce(const Layout& layout);
// Coalesces separately each mode for which the profile has a leaf; modes beyond the profile are unchanged.
// Ensures: L(c) is unchanged for coordinates c of the profile.
[[nodiscard]] Result<Layout> coalesce(const Layout& layout, const IntTuple& profile);
// Like coalesce, but a last mode of extent 1 counts as unbounded, so indices beyond the size keep their values.
// Ensures: equal to L on every integer, as the left operand of composition needs.
[[nodiscard]] Result<Layout> coalesceUnbounded(const Layout& layout);
// Coalesces a layout with these leaves.
[[nodiscard]] Result<Layout> coalesced(const std::vector<LayoutLeaf>& leaves, bool isStatic);

// Extents of stride-0 modes become 1.
[[nodiscard]] Result<Layout> filterZeros(const Layout& layout);
// coalesce(filterZeros(L)): the values of L without the repeats of stride-0 modes.
[[nodiscard]] Result<Layout> filter(const Layout& layout);
// The stride-0 modes as a layout into L's domain. Ensures: L(nullspace(L)(i)) == 0.
[[nodiscard]] Result<Layout> nullspace(const Layout& layout);
// ((2,3),4) -> (2,3,4). Structural: works with `?`.
[[nodiscard]] Result<Layout> flatten(const Layout& layout);

// Whether size and values are equal, by comparing coalesced forms. Requires: both are known.
[[nodiscard]] bool equalAsFunctions(const Layout& a, const Layout& b);

}  // namespace tessera::cute
