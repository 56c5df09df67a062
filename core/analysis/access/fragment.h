// Fragment: what a warp's lanes hold after one access: elements of the tile, in the order of each lane's registers.
//
//     ldmatrix.x4 on (64,64) halves, at (0,0):   lane 5: (1,2) (1,3) (9,2) (9,3) (1,10) (1,11) (9,10) (9,11)
//     ld.shared.v4.b32, f32 elements:            lane 5: the four elements of its own run
//
// A matrix load gives a lane data that other lanes addressed: lane 19 supplies the address of row 3 of matrix 2, lanes
// 12 to 15 receive it. The atlas row defines this in bits: which lane's address supplies a bit, and which lane receives
// it. For stores the same list gives the destinations of the registers.
#pragma once

#include <vector>

#include "core/analysis/access/access.h"

namespace tessera {

// [lane][value] -> element; an inactive lane holds nothing. Requires: access is one of accesses(tile, spec).
[[nodiscard]] Result<std::vector<std::vector<TileCoord>>> heldAfter(const Tile& tile, const AccessSpec& spec,
                                                                    const TileAccess& access);
// Whether consecutive elements of one lane's run are along a row of the tile; else down a column.
[[nodiscard]] bool runsAlongRow(const Tile& tile, const AccessSpec& spec);

}  // namespace tessera
