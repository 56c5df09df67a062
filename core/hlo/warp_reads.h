// Warp reads: how the threads of a kernel read an operand, warp by warp, in sectors of 32 bytes (core/analysis/coalescing.h).
//
//     threads -> elements (thread_map.h), then elements -> operand (readsOf), then operand -> slot of memory (xla::toMap)
//
//     f32[100,200] + f32[100,200]{0,1}, a loop over the row-major output, 625 warps
//         the first     4 sectors a warp, as few as 128 bytes fill:  coalesced
//         the second   32 sectors a warp, lanes 400 bytes apart:     scattered
//
// An access is what a warp's 32 lanes ask for at one step: one value of all variables that are ranged over. Where neighbours of the last
// variable that is ranged over lie next to each other for every lane, aligned, they are one wider access, up to 16 bytes a lane. Each map of
// an operand is a load of its own. Lanes outside the domain ask for nothing.
//
// Verdict: coalesced, no more sectors than the bytes of each access fill; misaligned, that would be so (but for 10 %) if each access began
// at a sector; scattered, more than that; nothing is read; not known. XLA's verdict is the first two (it leaves out where an access begins,
// counts in 128 bytes, looks at the first warp, and at one loop at most).
// A number that only the run knows is taken at the middle of its range, the same for all threads, as XLA does, and `why` says so.
//
// How: every warp and step, up to 2^22 addresses; beyond, warps spread evenly from the first to the last, and `warps` < `of` says how many.
#pragma once

#include <optional>
#include <string>

#include "core/analysis/coalescing.h"
#include "core/hlo/op_maps.h"

namespace tessera::hlo {

enum class WarpVerdict : unsigned char { Nothing, Coalesced, Misaligned, Scattered, Unknown };
[[nodiscard]] std::string_view nameOf(WarpVerdict verdict);

struct WarpReads {
  WarpVerdict verdict = WarpVerdict::Nothing;
  std::string why;             // what the verdict stands on besides the numbers; what is not known
  i64 warps = 0, of = 0;       // looked at; that read anything of it may be fewer
  i64 accesses = 0;            // by warps that read something
  i64 width = 0;               // widest bytes of a lane
  i64 sectors = 0, ideal = 0;  // of all accesses
  i64 aligned = 0;             // sectors if each access began at a sector
  double whole = 0;            // sectors of all warps and steps: `sectors`, scaled where only some were looked at
  bool cut = false;            // not every step of a warp was looked at
  struct Access {
    i64 block = 0, warp = 0;  // the block's first coordinates; the warp within it
    SectorReport report;
    std::optional<i64> stride;  // bytes between neighbouring lanes, where all are the same
  };
  std::optional<Access> worst;  // the most sectors above what its bytes fill
};

// What `threads` read of an operand of that shape and layout, of each map at most so many addresses. A Diag: the maps do not fit.
[[nodiscard]] Result<WarpReads> warpReads(const Reach& reach, const Map& threads, const xla::Shape& operand,
                                          i64 mostAddresses = i64{1} << 22);
// "scattered: 20000 sectors where 2500 would do (8 times); at worst 32 for 128 bytes, lanes 400 bytes apart"
[[nodiscard]] std::string textOf(const WarpReads& reads);

}  // namespace tessera::hlo
