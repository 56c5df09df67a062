// The algebra of composed layouts A o off o B: most operations act on B and keep A; the rest have separate laws.
//
//     slice((1,_), Sw<3,3,3> o 0 o (8,64):(64,1)) = ((8,2,4)):((1,-8,16)) at offset 72
//         within row 1 the swizzle is a plain layout: it maps 64..71 to 72..79, 72..79 to 64..71, and so on
//     rightInverse(Sw<3,3,3> o 0 o (8,64):(64,1)) = Sw<3,0,-6> o 0 o (64,8):(8,1)
//     composition(8:2, Sw<1,0,1> o 0 o 4:1) = Sw<1,1,1> o 0 o 4:2        the swizzle moves through the outer layout
//
// Laws: slice: R(x) + offset == L(c with x in its wildcards);
//       right_inverse: L(R(i)) == i and R(i) < size(L); left_inverse: L(G(L(i))) == L(i), and G(L(i)) == i when L is
//       injective; composition(A, L): R(i) == A(L(i));
//       logical_product(A, L): R(i + size(A) * j) == A(i) + A*(L(j)), A* the complement that holds the copies;
//       divides, products and other operations on B: R(c) == A(off + R_B(c)) with R_B the same operation on B;
//       upcast and downcast: R(c / k) == L(c) / n as for layouts; the swizzle is recast too.
// CuTe returns Sw<3,0,3> o _0 o (8,8):(8,1) for right_inverse(Sw<3,3,3> o 0 o (8,8):(8,1)), which gives L(R(1)) = 9.
// Here the result is (8,8):(8,1), because no bit that the swizzle reads is ever set. For Sw<1,0,1> o 0 o 7:1 CuTe
// returns Sw<1,0,1> o 0 o 7:1, which leaves the domain at R(6) = 7; here the result is Sw<1,0,1> o 0 o 6:1. Every
// result is checked on its whole table (up to 2^20 elements).
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"

namespace tessera::cute {

// A plain layout if the function is one; otherwise a composed layout that includes the offset.
struct ComposedSlice {
  std::variant<Layout, ComposedLayout> layout;
  i64 offset = 0;  // added to the layout's values
};
[[nodiscard]] Result<ComposedSlice> sliceAndOffset(const IntTuple& coord, const ComposedLayout& layout);

// The size of the largest table; larger layouts are decided symbolically or refused.
constexpr i64 kTableLimit = i64{1} << 20;

// L(0), L(1) ... L(size - 1). Requires a plain layout of at most kTableLimit elements.
[[nodiscard]] std::vector<i64> valuesOf(const Layout& layout);

// L(0), L(1) ... A Diag above kTableLimit elements.
[[nodiscard]] Result<std::vector<i64>> tableOf(const ComposedLayout& layout);
// The plain layout with R(i) == table[i] - table[0] whose shape refines the domain's; nullopt if there is none.
// Requires one entry per index of the domain, at most kTableLimit.
[[nodiscard]] std::optional<Layout> layoutOfTable(const Layout& domain, const std::vector<i64>& table);

// As long as possible without repeated values (1:0 if no strides chain). A Diag for an offset, below which no value is
// reached, and for more than 2^20 elements if their number is not a power of two or the outer function is a layout.
[[nodiscard]] Result<ComposedLayout> rightInverse(const ComposedLayout& layout);
// Sw' o 0 o G if that form exists, otherwise only a layout (Sw<0,0,0>), otherwise a Diag.
[[nodiscard]] Result<ComposedLayout> leftInverse(const ComposedLayout& layout);
[[nodiscard]] Result<ComposedLayout> upcast(const ComposedLayout& layout, i64 n);
[[nodiscard]] Result<ComposedLayout> downcast(const ComposedLayout& layout, i64 n);
[[nodiscard]] Result<ComposedLayout> recastLayout(const ComposedLayout& layout, i64 oldBits, i64 newBits);

// A o off o composition(B, R).
[[nodiscard]] Result<ComposedLayout> composition(const ComposedLayout& a, const Layout& b);
// Moves B's swizzle to the other side of A. A Diag names the first index at which no swizzle agrees.
[[nodiscard]] Result<ComposedLayout> composition(const Layout& a, const ComposedLayout& b);
[[nodiscard]] Result<ComposedLayout> composition(const ComposedLayout& a, const ComposedLayout& b);
// A in the order of the swizzle: R(i) == A(Sw(i)).
[[nodiscard]] Result<ComposedLayout> composition(const Layout& a, const Swizzle& b);
// Copies of A at the values of the composed tiler.
[[nodiscard]] Result<ComposedLayout> logicalProduct(const Layout& a, const ComposedLayout& b);

// A o off o `inner`: for operations on B that keep A and the offset, such as divides, products, coalesce and group.
[[nodiscard]] Result<ComposedLayout> withInner(const ComposedLayout& layout, Result<Layout> inner);
// complement(B, n), as in CuTe, if it fills the values that A o off o B omits. A Diag if two sums L(i) + R(j) are
// equal, or if there are more than 2^20 to check.
[[nodiscard]] Result<Layout> complement(const ComposedLayout& layout, i64 cotarget);

// The smem_ptr form on element indices: Sw<3,4,3> o smem_ptr[16b](unset) o B -> Sw<3,3,3> o 0 o B.
[[nodiscard]] Result<ComposedLayout> asPositionIndependentSwizzleLayout(const ComposedLayout& layout);

}  // namespace tessera::cute
