// Warp reads: how the threads of a kernel read an operand, per warp, in sectors of 32 bytes
// (core/analysis/memory/banks.h).
//
//     threads -> elements (thread_map.h), then elements -> operand (readsOf), then operand -> memory slot (xla::toMap)
//
//     f32[100,200] + f32[100,200]{0,1}, a loop over the row-major output, 625 warps
//         the first     4 sectors a warp, the minimum for 128 bytes: coalesced
//         the second   32 sectors a warp, lanes 400 bytes apart:     scattered
//
// An access is what a warp's 32 lanes read at one step: one value of all ranged variables. If consecutive values of the
// last ranged variable are adjacent in memory for every lane, aligned, they form one wider access, up to 16 bytes per
// lane. Each map of an operand is a separate load. Lanes outside the domain are inactive.
//
// Verdict: coalesced: no more sectors than the bytes of each access fill; misaligned: it would be (within 10 %) if each
// access began at a sector; scattered: more sectors than that; nothing is read; unknown. XLA's analysis counts the
// first two as coalesced (it ignores where an access begins, counts in 128 bytes, and looks at the first warp and at
// most one loop). A run-time value is assumed to be at the middle of its range, the same for all threads, as in XLA.
//
// How: every warp and step, up to 2^22 addresses; beyond that, evenly spaced warps, and `warps` < `of` gives the share.
//
// A read in terms of memory is the indexing map composed with the layouts of the result and of the operand:
//
//     %t = f32[4,8]{0,1} transpose(f32[8,4]{1,0} %p), dimensions={1,0}
//         logical        (d0, d1) -> (d1, d0)
//         memory order   (d0, d1) -> (d0, d1)        most major dimension first in both: the transpose moves nothing
//         slots          (d0, d1) -> (d1 * 4 + d0)   coordinates of the result to slots of the operand, with tiles
//
// Laws: slotsRead(m, s)(x) are the slots of the elements m(x), by xla::Addressing; inMemoryOrder only permutes
// coordinates (XLA's use_physical_layout: no tiles there).
#pragma once

#include <optional>
#include <string>

#include "core/analysis/memory/banks.h"
#include "core/hlo/ops/op_maps.h"

namespace tessera::hlo {

enum class WarpVerdict : unsigned char { Nothing, Coalesced, Misaligned, Scattered, Unknown };
[[nodiscard]] std::string_view nameOf(WarpVerdict verdict);

struct WarpReads {
  WarpVerdict verdict = WarpVerdict::Nothing;
  std::string why = {};        // assumptions besides the numbers, or what is unknown
  i64 warps = 0, of = 0;       // warps examined, of all; fewer may read the operand
  i64 accesses = 0;            // by warps that read anything
  i64 width = 0;               // widest access of a lane, in bytes
  i64 sectors = 0, ideal = 0;  // over all accesses
  i64 aligned = 0;             // sectors if each access began at a sector
  double whole = 0;            // sectors of all warps and steps: `sectors`, scaled up if only some were examined
  bool cut = false;            // some steps of a warp were not examined
  struct Access {
    i64 block = 0, warp = 0;  // the block's first coordinates; the warp within it
    SectorReport report;
    std::optional<i64> stride;  // bytes between adjacent lanes, if constant
  };
  std::optional<Access> worst = {};  // the access with the most sectors above its minimum
};

// What `threads` read of an operand of that shape and layout; at most `mostAddresses` per map. A Diag: no composition.
[[nodiscard]] Result<WarpReads> warpReads(const Reach& reach, const Map& threads, const xla::Shape& operand,
                                          i64 mostAddresses = i64{1} << 22);
// "scattered: 20000 sectors where 2500 would do (8 times), 625 accesses of up to 4 bytes a lane; at worst 32 for 128
// bytes (block 0, warp 0), lanes 400 bytes apart"
[[nodiscard]] std::string textOf(const WarpReads& reads);

// Index digits in the memory order of `from`, most major first; axes in that of `to`. A Diag: the ranks do not match.
[[nodiscard]] Result<Map> inMemoryOrder(const Map& map, const xla::Shape& from, const xla::Shape& to);
// Slots of `of` (times the stored bits: addresses). A Diag: an array without addresses.
[[nodiscard]] Result<Map> slotsRead(const Map& map, const xla::Shape& of);

}  // namespace tessera::hlo
