// Sector count: the sectors of 32 bytes that the warps of a kernel touch, exactly, without visiting every warp.
//
//     th in [0,128), bl in [0,10^6):  slot bl*128 + th, 4 bytes        4 * 10^6 warps, one class:    4 sectors each
//     the same, slot (bl*128 + th) * 3 + 1                            one class, 3 sectors to 13:   13 each
//     rows of 40: slot ((bl*128 + th) floordiv 40) * 1000 + (bl*128 + th) mod 40     5 classes of blocks
//
// How: a digit that enters the address only as c * digit moves a whole access; what matters is c * digit modulo a
// sector, so those digits become a table of residues. Digits under floordiv, mod or a guard decide the shape of an
// access. Such a digit is split, d = P*q + r, with P the period of the operation, after which q is linear; or it is cut
// where a guard or a quotient changes. What remains is enumerated: a class per combination, times the residues.
//
// An access is what the 32 lanes of a warp read in one step. If consecutive values of the last Fan digit are adjacent
// and aligned in memory for every lane of every warp, they form one access, of up to 16 bytes per lane.
//
// Law: equal to the sums over every warp and every step (tests/hlo/sector_count_test.cpp).
#pragma once

#include <optional>

#include "core/analysis/memory/banks.h"
#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera::hlo {

struct SectorCount {
  i64 warps = 0;     // all of them; fewer may read anything
  i64 accesses = 0;  // with at least one active lane
  i64 width = 0;     // of a lane's access, in bytes
  i64 sectors = 0;   // over all accesses
  i64 ideal = 0;     // sectors that the distinct bytes of each access fill
  i64 aligned = 0;   // sectors if each access began at a sector
  struct Access {
    i64 block = 0, warp = 0;  // the block's first coordinate; the warp within it
    SectorReport report;
    std::optional<i64> stride;  // bytes between adjacent lanes, if constant
  };
  std::optional<Access> worst = {};  // an access with the most sectors above its minimum
};

// slots: (thread, blocks ..)[steps ..] -> (slot), each digit with its lo; `bits` per slot, 1, 2, 4 .. 128.
// A run-time value is taken to be in the middle of its range. A Diag: no period is short enough, or the counts exceed
// 2^63. Spends work.
[[nodiscard]] Result<SectorCount> countSectors(const Map& slots, i64 bits);

}  // namespace tessera::hlo
