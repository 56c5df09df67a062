// A swizzle moved through a layout: S' with S'(x_i) == y_i for every i.
//
//     Sw<1,0,1> o 0 o (4,2):(2,1), and R = right_inverse((4,2):(2,1)) = (2,4):(4,1)
//     x_i = R(i) = 0 4 1 5 2 6 3 7, y_i = R(Sw(i)) = 0 4 5 1 2 6 7 3           S' = Sw<1,0,-2>
//
// A o S o B is one swizzle before one layout only when such an S' exists, and CuTe takes it on trust: it moves the two
// masks of S through the layout. Here that candidate comes first, so that the text is CuTe's, and every candidate is
// checked on the whole table. It is not a search over functions: where no single swizzle does it, there is no answer.
#pragma once

#include <optional>
#include <vector>

#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"

namespace tessera::cute {

// Tables up to this size are made; what is larger is decided by its form or refused.
constexpr i64 kTableLimit = i64{1} << 20;

// L(0), L(1) ... L(size - 1). Requires a plain layout of at most kTableLimit elements.
[[nodiscard]] std::vector<i64> valuesOf(const Layout& layout);

// Both masks of s through the layout, as CuTe moves them; nullopt where they are no masks of a swizzle.
[[nodiscard]] std::optional<Swizzle> masksThrough(const Layout& layout, const Swizzle& s);

// The first of `first`, the identity, and every swizzle of the bits in use, for which S'(from[i]) == to[i] on the
// longest prefix: S' and that prefix.
struct MovedSwizzle {
  Swizzle swizzle;
  i64 prefix = 0;
};
[[nodiscard]] MovedSwizzle movedSwizzle(const std::vector<i64>& from, const std::vector<i64>& to,
                                        const std::optional<Swizzle>& first);

}  // namespace tessera::cute
