// recast: the same memory as elements of another width.
//
//     upcast((4,8):(8,1), 4) = (4,2):(2,1)           four elements become one: the contiguous mode and the other
//                                                    strides shrink
//     downcast((8,4):(1,8), 4) = (32,4):(1,32)       one becomes four
//
// upcast law: with k_t = the number of neighbours of leaf t that share a new element, R(c / k) == trunc(L(c) / n) for
// every c. Each leaf's stride must be a multiple of n or divide it, so that new elements are whole; refused if the
// remainders of several leaves add up across an element border. downcast law: R splits each old element in n: R(n * x +
// r) == n * L(x) + r along the leaf of stride 1, n * L elsewhere.
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

[[nodiscard]] Result<Layout> upcast(const Layout& layout, i64 n);
[[nodiscard]] Result<Layout> downcast(const Layout& layout, i64 n);
// downcast by the ratio to the new element, then upcast: 6 -> 4 bits is downcast 3, upcast 2.
[[nodiscard]] Result<Layout> recastLayout(const Layout& layout, i64 oldBits, i64 newBits);

}  // namespace tessera::cute
