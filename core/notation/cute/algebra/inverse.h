// right_inverse and left_inverse: layouts from a value to an index.
//
//     L = (4,8):(8,1)     R = (8,4):(4,1)       L(R(13)) = L(21) = 13: the element at offset 13 has index 21
//     L = (4,2):(1,5)     G = (5,2):(1,4)       L hits 0..3 and 5..8; G(6) = 5 = index of offset 6
//
// right_inverse: L(R(i)) == i for 0 <= i < size(R); R covers the offsets that chained strides reach without a gap.
// left_inverse:  L(G(L(i))) == L(i) with G(L(i)) < size(L) for every i, and G(L(i)) == i when L is injective.
// Neither is a two-sided inverse unless L is bijective onto [0, size).
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

// Requires integer strides. Always succeeds (1:0 if no stride is 1).
[[nodiscard]] Result<Layout> rightInverse(const Layout& layout);
// Requires strides >= 0. Returns CuTe's result if it satisfies the law: sorted strides, each a multiple of the one
// before, so that the digits of an offset can be read one by one. Otherwise the layout through the points (L(i), i):
//     left_inverse((2,2):(2,5)) = (2,4):(0,1)        CuTe: "Left inverse divisibility condition"
// A Diag distinguishes whether no G exists, as for (2,2,2):(1,3,5), or none was found, because the search is limited to
// 2^16 indices and in time.
[[nodiscard]] Result<Layout> leftInverse(const Layout& layout);

// The longest prefix of at most n elements that is a layout. Requires n >= 1.
[[nodiscard]] Result<Layout> prefixOf(const Layout& layout, i64 n);

// The modes of a plain layout with extents above 1, with the linear index of their digit 1.
struct IndexRun {
  i64 extent, stride, before;
};
[[nodiscard]] std::vector<IndexRun> indexRuns(const Layout& layout);

// The layout through given points: G with G(y) == i for each pair (y, i); if several points share y, G(y) is one of
// their i. Used by left_inverse.
//
//     (0,0) (2,1) (5,2) (7,3)        G = (2,4):(0,1): the digit y / 2 is 0 1 2 3
//     (0,0) (2,1) (4,2) (3,3) (5,4) (7,5)      G = (2,4):(2,1): y / 2, and 2 more where y is odd
//
// A layout reads the digits of y along a chain of periods 1 | P_1 | P_2 ... and adds digit * stride. For one chain, the
// strides are the integer solutions of a linear system. Chains are tried by number of periods, then by size. A chain is
// abandoned once the points below twice its last period contradict each other, because their digits no longer change.
//
// Law: the result passes through every point. `complete`: all chains were tried, so no result means that none exists.
struct Point {
  i64 y = 0;
  i64 i = 0;
  bool operator==(const Point&) const = default;
};

struct ThroughPoints {
  std::optional<Layout> layout;
  bool complete = true;
};
// Every value with its index, in the order of the indices; nullopt above 2^16.
[[nodiscard]] std::optional<std::vector<Point>> pointsOf(const std::vector<IndexRun>& runs);
// Requires y >= 0.
[[nodiscard]] ThroughPoints layoutThrough(std::vector<Point> points);

}  // namespace tessera::cute
