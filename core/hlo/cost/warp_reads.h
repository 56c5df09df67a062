// Warp reads: how the warps of a kernel read an operand, in sectors of 32 bytes (core/analysis/memory/banks.h).
//
//     threads -> elements (thread_map.h), then elements -> operand (readsOf), then operand -> memory slot (xla::toMap)
//
//     f32[100,200] + f32[100,200]{0,1}, a loop over the row-major output, 625 warps
//         the first     4 sectors a warp, the minimum for 128 bytes: coalesced
//         the second   32 sectors a warp, lanes 400 bytes apart:     scattered
//
// An access is what the 32 lanes of a warp read at one step, which is one value of each ranged variable. If consecutive
// values of the last ranged variable are aligned and adjacent in memory for every lane, they form one wider access, of
// up to 16 bytes per lane. Each map of an operand is a separate load. Lanes outside the domain are inactive.
//
// Verdicts: coalesced, each access has no more sectors than its bytes fill; misaligned, it would be coalesced (within
// 10 %) if each access began at a sector; scattered, more sectors than that; nothing; unknown. XLA's analysis counts
// the first two as coalesced (it ignores where an access begins, counts in 128 bytes, and examines only the first warp
// and at most one loop). As in XLA, a run-time value is assumed to be in the middle of its range, and the same for all
// threads.
//
// A read in memory is the indexing map composed with the layouts of the result and of the operand:
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
#include "core/hlo/cost/sector_count.h"
#include "core/hlo/ops/op_maps.h"

namespace tessera::hlo {

enum class WarpVerdict : unsigned char { Nothing, Coalesced, Misaligned, Scattered, Unknown };
[[nodiscard]] std::string_view nameOf(WarpVerdict verdict);

struct WarpReads {
  WarpVerdict verdict = WarpVerdict::Nothing;
  std::string why = {};                           // assumptions of the numbers, or why they are unknown
  i64 warps = 0;                                  // over all maps; fewer may read the operand
  i64 accesses = 0;                               // of the warps that read anything
  i64 width = 0;                                  // widest access of a lane, in bytes
  i64 sectors = 0, ideal = 0;                     // over all accesses
  i64 aligned = 0;                                // sectors if each access began at a sector
  std::optional<SectorCount::Access> worst = {};  // the access with the most sectors above its minimum
};

// elements: (thread, blocks ..)[steps ..] -> element of an operand of that shape and layout; each is a load of its own.
[[nodiscard]] Result<WarpReads> warpReads(const std::vector<Map>& elements, Soundness soundness, const std::string& why,
                                          const xla::Shape& operand);
// How `threads` read what the maps of `reach` need. A Diag: the maps do not compose.
[[nodiscard]] Result<WarpReads> warpReads(const Reach& reach, const Map& threads, const xla::Shape& operand);
// "scattered: 20000 sectors where 2500 would do (8 times), 625 accesses of up to 4 bytes a lane; at worst 32 for 128
// bytes (block 0, warp 0), lanes 400 bytes apart"
[[nodiscard]] std::string textOf(const WarpReads& reads);

// The map with its Index digits in the memory order of `from`, most major first, and its axes in that of `to`. A Diag:
// the ranks do not match.
[[nodiscard]] Result<Map> inMemoryOrder(const Map& map, const xla::Shape& from, const xla::Shape& to);
// The slots of `of` that the map reads; times the stored bits, addresses. A Diag: an array without addresses.
[[nodiscard]] Result<Map> slotsRead(const Map& map, const xla::Shape& of);

}  // namespace tessera::hlo
