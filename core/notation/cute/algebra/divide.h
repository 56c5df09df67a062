// Divides and products: tiling as algebra.
//
//     logicalDivide(16:3, 4:2) = (4,(2,2)):(6,(3,24))      (tile, rest): the tile picks every 2nd element,
//                                                          the rest says where each tile begins
//     logicalProduct((2,2):(4,1), 6:1) = ((2,2),(2,3)):((4,1),(2,8))   six copies of the tile in its gaps and behind it
//
// Laws: logical_divide(A, B) == composition(A, (B, complement(B, size(A)))), so R(i) = A((B,B*)(i)) for every i;
//       logical_product(A, B) == (A, composition(complement(A, size(A)*cosize(B)), B)).
// zipped gathers ((tile modes),(rest modes)), tiled is (tile, rest0, rest1, ..), flat is (t0, t1, .., r0, r1, ..): the
// same leaves in another nesting. A tiler divides mode by mode. Uneven sizes round up: 10:1 by 4:1 is (4,3):(1,4).
// Where the law cannot hold (composition refuses), so do these, with composition's witness.
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/algebra/tiler.h"
#include "core/notation/cute/layout.h"

namespace tessera {

[[nodiscard]] Result<CuteLayout> logicalDivide(const CuteLayout& a, const CuteLayout& b);
[[nodiscard]] Result<CuteLayout> logicalDivide(const CuteLayout& a, const Tiler& b);
[[nodiscard]] Result<CuteLayout> zippedDivide(const CuteLayout& a, const CuteLayout& b);
[[nodiscard]] Result<CuteLayout> zippedDivide(const CuteLayout& a, const Tiler& b);
[[nodiscard]] Result<CuteLayout> tiledDivide(const CuteLayout& a, const CuteLayout& b);
[[nodiscard]] Result<CuteLayout> tiledDivide(const CuteLayout& a, const Tiler& b);
[[nodiscard]] Result<CuteLayout> flatDivide(const CuteLayout& a, const CuteLayout& b);
[[nodiscard]] Result<CuteLayout> flatDivide(const CuteLayout& a, const Tiler& b);

[[nodiscard]] Result<CuteLayout> logicalProduct(const CuteLayout& a, const CuteLayout& b);
[[nodiscard]] Result<CuteLayout> logicalProduct(const CuteLayout& a, const Tiler& b);
[[nodiscard]] Result<CuteLayout> zippedProduct(const CuteLayout& a, const CuteLayout& b);
[[nodiscard]] Result<CuteLayout> zippedProduct(const CuteLayout& a, const Tiler& b);
[[nodiscard]] Result<CuteLayout> tiledProduct(const CuteLayout& a, const CuteLayout& b);
[[nodiscard]] Result<CuteLayout> tiledProduct(const CuteLayout& a, const Tiler& b);
[[nodiscard]] Result<CuteLayout> flatProduct(const CuteLayout& a, const CuteLayout& b);
[[nodiscard]] Result<CuteLayout> flatProduct(const CuteLayout& a, const Tiler& b);

// Copies of the block side by side: mode i is (A_i, B_i). Not coalesced (C++ HEAD).
[[nodiscard]] Result<CuteLayout> blockedProduct(const CuteLayout& block, const CuteLayout& tiler);
// Copies interleaved: mode i is (B_i, A_i).
[[nodiscard]] Result<CuteLayout> rakedProduct(const CuteLayout& block, const CuteLayout& tiler);
// The block repeated up to a shape: mode i is (block_i, shape_i / block_i), outer strides in `order` (default: mode 0
// fastest). Requires each shape_i to divide by the block's.
[[nodiscard]] Result<CuteLayout> tileToShape(const CuteLayout& block, const IntTuple& shape);
[[nodiscard]] Result<CuteLayout> tileToShape(const CuteLayout& block, const IntTuple& shape, const IntTuple& order);

}  // namespace tessera
