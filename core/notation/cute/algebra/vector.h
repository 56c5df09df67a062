// The common prefix of two layouts, which bounds the vector width of a copy between them.
//
//     maxCommonVector((4,8):(8,1), (4,8):(8,1)) = 32      both place 32 elements in the same order
//     maxCommonVector((4,8):(1,4), (4,8):(1,8)) = 4
//     maxCommonVector(2:1, 4:1) = 2                       A has only two (CuTe reads beyond its end: 4)
//     maxCommonVector(Sw<3,3,3> o 4 o 128:1, 128:1) = 4   8 elements would straddle a swizzled block (CuTe: 8)
//
// Law: for 0 <= i < n with n = maxCommonVector(A, B) and V = maxCommonLayout(A, B): V(i) < size(A),
// A(V(i)) == i and B(V(i)) == i. With a swizzle and an offset, every aligned vector of n elements is consecutive in A.
// With the same swizzle on both sides and no offsets, A(R(i)) == i for R = right_inverse(B).
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

[[nodiscard]] Result<i64> maxCommonVector(const Layout& a, const Layout& b);
[[nodiscard]] Result<Layout> maxCommonLayout(const Layout& a, const Layout& b);
// Sw<B,M,S> keeps at most 2^M elements together; their number must also divide the offset.
[[nodiscard]] Result<i64> maxCommonVector(const ComposedLayout& a, const Layout& b);
[[nodiscard]] Result<i64> maxCommonVector(const ComposedLayout& a, const ComposedLayout& b);
// The same number of elements, at B's indices.
[[nodiscard]] Result<Layout> maxCommonLayout(const ComposedLayout& a, const Layout& b);

// The gcd of the contiguous run from 0 and of every stride beyond it: the largest n such that the first n elements are
// contiguous and every such vector starts at a multiple of n.
[[nodiscard]] Result<i64> maxAlignment(const Layout& layout);
// At most 2^M for Sw<B,M,S>, and a divisor of the offset.
[[nodiscard]] Result<i64> maxAlignment(const ComposedLayout& layout);

// recast: the same memory as elements of another width.
//
//     upcast((4,8):(8,1), 4) = (4,2):(2,1)           four elements become one: the contiguous extent and the other
//                                                    strides shrink
//     downcast((8,4):(1,8), 4) = (32,4):(1,32)       one element becomes four
//
// upcast law: with k_t = the number of neighbours along leaf t that share a new element, R(c / k) == trunc(L(c) / n)
// for every c. Each stride must be a multiple or a divisor of n, so that new elements are whole; refused if the
// remainders of several leaves add up across an element boundary.
// downcast law: R splits each old element into n: R(n * x + r) == n * L(x) + r along the leaf of stride 1, else n * L.

[[nodiscard]] Result<Layout> upcast(const Layout& layout, i64 n);
[[nodiscard]] Result<Layout> downcast(const Layout& layout, i64 n);
// downcast by the ratio to the new element, then upcast: 6 -> 4 bits is downcast 3, upcast 2.
[[nodiscard]] Result<Layout> recastLayout(const Layout& layout, i64 oldBits, i64 newBits);

}  // namespace tessera::cute
