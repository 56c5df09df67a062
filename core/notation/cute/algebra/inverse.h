// right_inverse and left_inverse: from a value to an index.
//
//     L = (4,8):(8,1)     R = (8,4):(4,1)       L(R(13)) = L(21) = 13: the element at offset 13 has index 21
//     L = (4,2):(1,5)     G = (5,2):(1,4)       L hits 0..3 and 5..8; G(6) = 5 = index of offset 6
//
// right_inverse: L(R(i)) == i for 0 <= i < size(R); R covers the offsets reached without a gap by chaining strides.
// left_inverse:  L(G(L(i))) == L(i) with G(L(i)) < size(L) for every i, and G(L(i)) == i when L is injective.
// Neither is a two-sided inverse unless L is bijective onto [0, size).
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

// Requires integer strides. Always succeeds (1:0 if no stride is 1).
[[nodiscard]] Result<Layout> rightInverse(const Layout& layout);
// Requires strides >= 0. CuTe's result if it satisfies the law: sorted strides, each a multiple of the one before, so
// that the digits of an offset can be read one by one. Otherwise the layout through the points (L(i), i):
//     left_inverse((2,2):(2,5)) = (2,4):(0,1)        CuTe: "Left inverse divisibility condition"
// A Diag says whether no G exists, as for (2,2,2):(1,3,5), or none
// was found: the search is limited to 2^16 indices and in time.
[[nodiscard]] Result<Layout> leftInverse(const Layout& layout);

// The longest prefix of n' <= n elements that is a layout. Requires n >= 1.
[[nodiscard]] Result<Layout> prefixOf(const Layout& layout, i64 n);

// The modes of a coalesced plain layout that move, with the linear index of their digit 1.
struct IndexRun {
  i64 extent, stride, before;
};
[[nodiscard]] std::vector<IndexRun> indexRuns(const Layout& coalesced);

}  // namespace tessera::cute
