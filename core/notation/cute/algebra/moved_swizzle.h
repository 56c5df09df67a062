// A swizzle moved through a layout: S' with S'(x_i) == y_i for every i.
//
//     Sw<1,0,1> o 0 o (4,2):(2,1), and R = right_inverse((4,2):(2,1)) = (2,4):(4,1)
//     x_i = R(i) = 0 4 1 5 2 6 3 7, y_i = R(Sw(i)) = 0 4 5 1 2 6 7 3           S' = Sw<1,0,-2>
//
// A o S o B is one swizzle before one layout only if such an S' exists. CuTe assumes it does: it moves the two masks of
// S through the layout. Here that candidate comes first, so the text matches CuTe, and every candidate is checked on
// the whole table. Other functions are not searched: if no single swizzle fits, there is no result.
#pragma once

#include <optional>
#include <vector>

#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"

namespace tessera::cute {

// The largest table that is made; anything larger is decided symbolically or refused.
constexpr i64 kTableLimit = i64{1} << 20;

// L(0), L(1) ... L(size - 1). Requires a plain layout of at most kTableLimit elements.
[[nodiscard]] std::vector<i64> valuesOf(const Layout& layout);

// Both masks of s moved through the layout, as in CuTe; nullopt if the results are not masks of a swizzle.
[[nodiscard]] std::optional<Swizzle> masksThrough(const Layout& layout, const Swizzle& s);

// Among `first`, the identity, and every swizzle of the bits in use, the first S' for which S'(from[i]) == to[i] on the
// longest prefix, with that prefix.
struct MovedSwizzle {
  Swizzle swizzle;
  i64 prefix = 0;
};
[[nodiscard]] MovedSwizzle movedSwizzle(const std::vector<i64>& from, const std::vector<i64>& to,
                                        const std::optional<Swizzle>& first);

}  // namespace tessera::cute
