// The algebra on composed layouts A o off o B: most operations act on B and keep A; the rest have their own laws.
//
//     slice((1,_), Sw<3,3,3> o 0 o (8,64):(64,1)) = ((8,2,4)):((1,-8,16)) at offset 72
//         within row 1 the swizzle is a plain layout again: 64..71 go to 72..79, 72..79 to 64..71, and so on
//     rightInverse(Sw<3,3,3> o 0 o (8,64):(64,1)) = Sw<3,0,-6> o 0 o (64,8):(8,1)
//
// Laws: slice: R(x) + offset == L(c with x in its wildcards); right_inverse: L(R(i)) == i;
//       divides and tile_to_shape: R(c) == A(off + R_B(c)) with R_B the same operation on B;
//       upcast: R(c / k) == L(c) / n as for layouts, downcast likewise, with the swizzle recast too.
// CuTe returns Sw<3,0,3> o _0 o (8,8):(8,1) for right_inverse(Sw<3,3,3> o 0 o (8,8):(8,1)), which gives L(R(1)) = 9.
// Here it is (8,8):(8,1): no bit that the swizzle reads is ever set.
#pragma once

#include <utility>
#include <variant>

#include "core/base/result.h"
#include "core/notation/cute/algebra/tiler.h"
#include "core/notation/cute/composed_layout.h"

namespace tessera::cute {

// A plain layout when the function is one again, else composed with the offset moved in.
struct ComposedSlice {
  std::variant<Layout, ComposedLayout> layout;
  i64 offset = 0;  // added to the layout's values
};
[[nodiscard]] Result<ComposedSlice> sliceAndOffset(const IntTuple& coord, const ComposedLayout& layout);

[[nodiscard]] Result<ComposedLayout> rightInverse(const ComposedLayout& layout);
[[nodiscard]] Result<ComposedLayout> upcast(const ComposedLayout& layout, i64 n);
[[nodiscard]] Result<ComposedLayout> downcast(const ComposedLayout& layout, i64 n);
[[nodiscard]] Result<ComposedLayout> recastLayout(const ComposedLayout& layout, i64 oldBits, i64 newBits);

// A o off o composition(B, R).
[[nodiscard]] Result<ComposedLayout> composition(const ComposedLayout& a, const Layout& b);
[[nodiscard]] Result<ComposedLayout> composition(const ComposedLayout& a, const Tiler& b);
// Sw o 0 o B.
[[nodiscard]] Result<ComposedLayout> composition(const Swizzle& a, const Layout& b);

[[nodiscard]] Result<ComposedLayout> logicalDivide(const ComposedLayout& a, const Tiler& b);
[[nodiscard]] Result<ComposedLayout> zippedDivide(const ComposedLayout& a, const Tiler& b);
[[nodiscard]] Result<ComposedLayout> tiledDivide(const ComposedLayout& a, const Tiler& b);
[[nodiscard]] Result<ComposedLayout> flatDivide(const ComposedLayout& a, const Tiler& b);
[[nodiscard]] Result<ComposedLayout> logicalDivide(const ComposedLayout& a, const Layout& b);
[[nodiscard]] Result<ComposedLayout> zippedDivide(const ComposedLayout& a, const Layout& b);
[[nodiscard]] Result<ComposedLayout> tileToShape(const ComposedLayout& block, const IntTuple& shape);
[[nodiscard]] Result<ComposedLayout> tileToShape(const ComposedLayout& block, const IntTuple& shape,
                                                 const IntTuple& order);

// The smem_ptr form on element indices: Sw<3,4,3> o smem_ptr[16b](unset) o B -> Sw<3,3,3> o 0 o B.
[[nodiscard]] Result<ComposedLayout> asPositionIndependentSwizzleLayout(const ComposedLayout& layout);

}  // namespace tessera::cute
