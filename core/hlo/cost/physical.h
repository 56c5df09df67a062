// Physical: a read in terms of memory: the indexing map composed with the layouts of the result and of the operand.
//
//     %t = f32[4,8]{0,1} transpose(f32[8,4]{1,0} %p), dimensions={1,0}
//         logical        (d0, d1) -> (d1, d0)
//         memory order   (d0, d1) -> (d0, d1)        most major dimension first in both: the transpose moves nothing
//         slots          (d0, d1) -> (d1 * 4 + d0)   coordinates of the result to slots of the operand, with tiles
//
// Laws: slotsRead(m, s)(x) are the slots of the elements m(x), by xla::Addressing; inMemoryOrder only permutes
// coordinates (XLA's use_physical_layout: no tiles there).
#pragma once

#include "core/base/result.h"
#include "core/map/map.h"
#include "core/notation/xla/shape.h"

namespace tessera::hlo {

// Index digits in the memory order of `from`, most major first; axes in that of `to`. A Diag: the ranks do not match.
[[nodiscard]] Result<Map> inMemoryOrder(const Map& map, const xla::Shape& from, const xla::Shape& to);
// Slots of `of` (times the stored bits: addresses). A Diag: an array without addresses.
[[nodiscard]] Result<Map> slotsRead(const Map& map, const xla::Shape& of);

}  // namespace tessera::hlo
