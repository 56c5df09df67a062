// Divides and products: tiling as algebra.
//
//     logicalDivide(16:3, 4:2) = (4,(2,2)):(6,(3,24))      (tile, rest): the tile takes every 2nd element,
//                                                          the rest gives the start of each tile
//     logicalProduct((2,2):(4,1), 6:1) = ((2,2),(2,3)):((4,1),(2,8))   six copies of the tile, in its gaps and after it
//
// Laws: logical_divide(A, B) == composition(A, (B, complement(B, size(A)))), so R(i) = A((B,B*)(i)) for every i;
//       logical_product(A, B) == (A, composition(complement(A, size(A)*cosize(B)), B)).
// zipped is ((tile modes),(rest modes)), tiled is (tile, rest0, rest1, ..), flat is (t0, t1, .., r0, r1, ..): the same
// leaves in another nesting. A tiler divides mode by mode. Uneven sizes round up: 10:1 by 4:1 is (4,3):(1,4).
// Where composition refuses, these refuse with the same witness.
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

[[nodiscard]] Result<Layout> logicalDivide(const Layout& a, const Layout& b);
[[nodiscard]] Result<Layout> logicalDivide(const Layout& a, const Tiler& b);
[[nodiscard]] Result<Layout> zippedDivide(const Layout& a, const Layout& b);
[[nodiscard]] Result<Layout> zippedDivide(const Layout& a, const Tiler& b);

[[nodiscard]] Result<Layout> logicalProduct(const Layout& a, const Layout& b);
[[nodiscard]] Result<Layout> logicalProduct(const Layout& a, const Tiler& b);
[[nodiscard]] Result<Layout> zippedProduct(const Layout& a, const Layout& b);
[[nodiscard]] Result<Layout> zippedProduct(const Layout& a, const Tiler& b);

// The other nestings of a zipped result.
[[nodiscard]] Result<Layout> tiledForm(const Result<Layout>& zipped);
[[nodiscard]] Result<Layout> flatForm(const Result<Layout>& zipped);
// b: a layout or a tiler.
[[nodiscard]] Result<Layout> tiledDivide(const Layout& a, const auto& b) { return tiledForm(zippedDivide(a, b)); }
[[nodiscard]] Result<Layout> flatDivide(const Layout& a, const auto& b) { return flatForm(zippedDivide(a, b)); }
[[nodiscard]] Result<Layout> tiledProduct(const Layout& a, const auto& b) { return tiledForm(zippedProduct(a, b)); }
[[nodiscard]] Result<Layout> flatProduct(const Layout& a, const auto& b) { return flatForm(zippedProduct(a, b)); }

// Adjacent copies of the block: mode i is (A_i, B_i). Not coalesced, as in the current CuTe C++.
[[nodiscard]] Result<Layout> blockedProduct(const Layout& block, const Layout& tiler);
// Interleaved copies: mode i is (B_i, A_i).
[[nodiscard]] Result<Layout> rakedProduct(const Layout& block, const Layout& tiler);
// The block repeated up to a shape: mode i is (block_i, shape_i / block_i), with outer strides in `order` (default:
// mode 0 fastest). Requires that each shape_i is a multiple of the block's.
[[nodiscard]] Result<Layout> tileToShape(const Layout& block, const IntTuple& shape, const IntTuple& order = 0);

// complement(A, M): the layout that fills the part of [0, M) that A does not cover.
//
//     A = (2,2):(1,6), M = 24      A hits 0 1 6 7: 3 steps of 2 fill the gaps, then 2 steps of 12 repeat the whole
//     complement = (3,2):(2,12)    (A, complement) hits each of 0..23 once
//
// Law: R is strictly increasing from R(0) = 0; all sums A(i) + R(j) differ (i over filter(A)); the largest extent *
// stride of (A,R), the reach, is at least M. If each stride of A is a multiple of the span before it, the sums are all
// of [0, reach); otherwise a part of a gap stays empty, as in CuTe: (2,2):(1,3), 8 -> 2:6 omits 2 and 5.
//
// CuTe refuses modes that interleave, because they have no separate gaps. If A repeats no value, there is a complement
// nevertheless: the gap below their common factor, then copies of the whole, as close as possible without overlap.
//
//     A = (3,2):(2,3), M = 8           A hits 0 2 3 4 5 7, which differ modulo 6: complement = 2:6, 6 8 9 10 11 13
//
// Requires distinct values >= 0 (those of (4,2):(1,2) are not distinct: A(2) = A(4) = 2). Refused: interleaved modes
// with more than 2^16 values.
[[nodiscard]] Result<Layout> complement(const Layout& a, i64 cotarget);
// cotarget = cosize(filter(A)): only the gaps inside A (CuTe C++; pycute and cutegen use 1).
[[nodiscard]] Result<Layout> complement(const Layout& a);
// cotarget = product of the shape.
[[nodiscard]] Result<Layout> complement(const Layout& a, const IntTuple& shape);

}  // namespace tessera::cute
