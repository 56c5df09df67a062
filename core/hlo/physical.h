// Physical: a read in terms of memory: the layouts of the result and of the operand put behind the indexing map.
//
//     %t = f32[4,8]{0,1} transpose(f32[8,4]{1,0} %p), dimensions={1,0}
//         logical        (d0, d1) -> (d1, d0)
//         memory order   (d0, d1) -> (d0, d1)        both have their most major dimension first: the transposition moves nothing
//         slots          (d0, d1) -> (d1 * 4 + d0)   from coordinates of the result to the operand's elements as they lie, tiles and all
//
// Laws: slotsRead(m, s)(x) are the slots of the elements m(x), by xla::Addressing; inMemoryOrder only changes the order of coordinates
// (XLA's use_physical_layout: no tiles there).
#pragma once

#include "core/base/result.h"
#include "core/map/map.h"
#include "core/notation/xla/shape.h"

namespace tessera::hlo {

// Index digits in the order in which `from` lies, the most major dimension first; values likewise by `to`. A Diag: the ranks do not fit.
[[nodiscard]] Result<Map> inMemoryOrder(const Map& map, const xla::Shape& from, const xla::Shape& to);
// Slots of `of` (times the stored bits: addresses). A Diag: an array without addresses.
[[nodiscard]] Result<Map> slotsRead(const Map& map, const xla::Shape& of);

}  // namespace tessera::hlo
