// convert: translates a layout into another notation, exactly; otherwise a Diag names what the target cannot express.
//
//     toCute(f32[4,8])                         (4,8):(8,1)
//     toCute(#mma over (16,8))                 ((4,8),(2,2)):((32,1),(16,8)), as (thread, value) -> index in the tile
//     toCute((d0) -> (d0 * 2), domain: ...)    8:2
//     toAxe((4,8):(1,4))                       S[(4,8):(1,4)] over (4,8)
//     toLinear(Sw<3,3,3> o (64,64):(64,1))     dim0 = [...], dim1 = [...] -> offset 4096
//
// A direct translation (below) is preferred because it keeps the profile: an XLA tile becomes a nested mode. All other
// pairs go through the arrow, so a new notation needs no extra code.
// Law: toMap(toX(l)) and toMap(l) are the same function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/layout/layout.h"
#include "core/notation/axe/layout.h"
#include "core/notation/cute/algebra/tensor.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"
#include "core/notation/linear/layout.h"

namespace tessera {

// A Diag names the first coordinate with a nonzero lower bound. `what` is the target, for the message: "a CuTe layout".
[[nodiscard]] Result<void> wantsCoordinatesFromZero(const Arrow& arrow, std::string_view what);
// A plain CuTe layout (no swizzle, no offset), as the layout algebra needs.
[[nodiscard]] Result<cute::Layout> plainCuteOf(const Layout& layout);
// CuTe's form: plain, or composed if there is a swizzle or an offset.
[[nodiscard]] Result<Layout> toCute(const Layout& layout);
// The same with where it begins: a tensor to slice and to partition.
[[nodiscard]] Result<cute::Tensor> tensorOf(const Layout& layout);
// The layout as S o 0 o L with a plain L; nullopt if it has another form, or an offset under the swizzle.
[[nodiscard]] std::optional<cute::ComposedLayout> swizzledCuteOf(const Layout& layout);
[[nodiscard]] Result<axe::Layout> toAxe(const Layout& layout);
[[nodiscard]] Result<linear::Layout> toLinear(const Layout& layout);

// Direct translations between CuTe, Axe and linear layouts.
//
//     the accumulator of mma.m16n8, an element (i, j) of 16 x 8:
//     CuTe      ((4,8),(2,2)):((32,1),(16,8))                       (thread, value) -> i + 16 j
//     Triton    #ttg.nvidia_mma<{versionMajor = 2, .. instrShape = [16, 8]}>   (register, lane) -> (i, j)
//     Axe       S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)]            (i, j) -> {lane, reg}
//
// Directions differ: CuTe's memory layouts and Axe map the tensor to the hardware; Triton's linear layouts and CuTe's
// thread-value layouts map the hardware to the tensor. Orders differ: in CuTe the first mode is fastest, in Axe the
// last iter. A translation is exact, or refused with what the target cannot express: replicas (CuTe), offsets and sizes
// that are not powers of two (linear), swizzles (Axe, CuTe).
//
// Axis names: register, lane, warp, block, offset, row, col of a linear layout are reg, lane, warp, cta, m, TLane, TCol
// of an Axe layout (laneid and warpid are also accepted). Other names are unchanged.
//
// A mode is a logical dimension; the order of CuTe's leaves inside it is reversed.
// f(i, j) = L(i, j) on one axis. Read the result with the shape axeShapeOf(L).
[[nodiscard]] Result<axe::Layout> toAxe(const cute::Layout& layout, const std::string& axis = axe::kMemoryAxis);
[[nodiscard]] Result<std::vector<i64>> axeShapeOf(const cute::Layout& layout);
// One mode per dimension of the shape. Refused: replicas, several axes, an offset.
[[nodiscard]] Result<cute::Layout> toCute(const axe::Layout& layout, const std::vector<i64>& shape);

// hardware -> tensor: each bit of each axis moves one coordinate bit, or none (replicas). Refused: offsets, sizes that
// are not powers of two, and bits used by no iter or by two.
[[nodiscard]] Result<linear::Layout> toLinear(const axe::Layout& layout, const std::vector<i64>& shape);
// tensor -> hardware. Refused if a basis has two coordinates (a swizzle) or two inputs move the same bit.
[[nodiscard]] Result<axe::Layout> toAxe(const linear::Layout& layout);

// (mode 0, mode 1, ..) -> offset, inputs dim0, dim1 ...
// Refused unless the sums never carry: x + y == x ^ y for the strides.
[[nodiscard]] Result<linear::Layout> toLinear(const cute::Layout& layout);
// One mode per input -> the coordinate's colex index (dim0 fastest), as CuTe numbers a tile.
[[nodiscard]] Result<cute::Layout> toCute(const linear::Layout& layout);
// (thread, value): threads are lanes, then warps, then blocks; values are registers.
[[nodiscard]] Result<cute::Layout> toThreadValue(const linear::Layout& layout);
// The converse, with `lanes` threads per warp, over colex coordinates of a tile of `shape`.
[[nodiscard]] Result<linear::Layout> threadValueToLinear(const cute::Layout& layout, const std::vector<i64>& shape,
                                                         i64 lanes = 32);

}  // namespace tessera
