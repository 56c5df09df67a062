// Access patterns: which bytes a warp's lanes access when one instruction iterates over a tile.
//
// An AccessSpec is an access of the atlas (core/atlas/access.h has its width and lane phases) and the order in which a
// kernel's lanes cover a tile; `accesses` lists every warp-wide access that covers the tile, position by position, with
// each lane's coordinate and byte address.
//
//     any name of the atlas  whose row has lane addresses: ldmatrix.x4.trans, st.shared.v2.b64, cp.async16,
//                            SM75_U32x4_LDSM_N ...
//     ld.shared, st.global   without a width: one element per lane
//     ....column, ....row    lanes run down a column (one row each) or along a row, contiguous or not; without a
//                            suffix, along the contiguous dimension, then to the next row or column
//
// Matrices cover a block of the tile (access_map.h): ldmatrix.x4 covers 16x16 halves, or 8x32 or 32x8 in tiles of
// height or width 8; lane l holds the address of row l%8 of matrix l/8.
//
// Worked: (8,64):(64,1) fp16 with ldmatrix.x1 at (0,0): lane l reads bytes 128*l .. 128*l+15, 8 rows in 4 banks: 8-way.
//
// Vectors must be contiguous and aligned in the tile; otherwise a Diag names the coordinate and what would fit. .trans
// transposes in registers, so it reads the same bytes; it serves tiles that are contiguous down their columns.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/access/tile.h"
#include "core/analysis/memory/banks.h"

namespace tessera {

enum class LaneOrder : unsigned char { Contiguous, AlongRow, DownColumn };

// An atlas access and how it is applied. width 0: one element of the tile per lane.
struct AccessSpec : AtlasAccess {
  std::string text;         // as typed
  std::string instruction;  // its row in the atlas; empty if the width is one element
  LaneOrder order = LaneOrder::Contiguous;
  bool operator==(const AccessSpec&) const = default;
};
[[nodiscard]] Result<AccessSpec> parseAccess(std::string_view text);
// The other side of the same copy: cp.async16 reads global and writes shared memory (both are in its row), and the data
// of ld.global.v4 is stored by a st.shared of the same width. A Diag: that side has no access of this width.
[[nodiscard]] Result<AccessSpec> sideOf(const AccessSpec& copy, AccessDirection direction, MemorySpace space);

struct TileCoord {
  i64 row = 0, column = 0;
  bool operator==(const TileCoord&) const = default;
};

// One warp-wide access: its position, and the address of each lane.
struct TileAccess {
  std::size_t spec = 0;                     // which of the specs
  TileCoord position;                       // the corner of the block, or the first lane's element
  WarpAccess warp;                          // addresses; width resolved
  std::array<TileCoord, kWarpLanes> lanes;  // first element of each active lane
  i64 elements = 1;                         // per lane: its run
  bool alongRow = true;                     // the run is along a row of the tile, else down a column
  [[nodiscard]] TileCoord element(std::size_t lane, i64 j) const {
    const TileCoord& at = lanes[lane];
    return alongRow ? TileCoord{at.row, at.column + j} : TileCoord{at.row + j, at.column};
  }
};

// Every access of the instruction over the tile. A Diag if it does not fit: element size, tile size, contiguity,
// alignment, each with what would fit.
[[nodiscard]] Result<std::vector<TileAccess>> accesses(const Tile& tile, const AccessSpec& spec);

// The sum over all accesses of all instructions: shown by the bank view's badge, and decided by `conflict_free`.
struct TileBankReport {
  i64 instructions = 0;
  i64 wavefronts = 0, ideal = 0, excess = 0;
  int conflictDegree = 0;           // the worst phase
  std::optional<TileAccess> worst;  // the access with the most excess, if any
  std::optional<BankConflict> conflict;
  std::string text;  // the counterexample in one sentence; empty when conflict-free
};
[[nodiscard]] Result<TileBankReport> bankReport(const Tile& tile, std::span<const AccessSpec> specs);
[[nodiscard]] TileBankReport bankReport(std::span<const TileAccess> list);

// The same for global memory: sectors and lines summed over the warp accesses.
struct TileSectorReport {
  i64 instructions = 0;
  i64 sectors = 0, lines = 0, idealSectors = 0;
  std::optional<TileAccess> worst;  // the access with the most sectors above its ideal
};
[[nodiscard]] Result<TileSectorReport> tileSectors(const Tile& tile, const AccessSpec& spec);

// Fragment: the elements of the tile that a warp's lanes hold after one access, in the order of each lane's registers.
//
//     ldmatrix.x4 on (64,64) halves, at (0,0):   lane 5: (1,2) (1,3) (9,2) (9,3) (1,10) (1,11) (9,10) (9,11)
//     ld.shared.v4.b32, f32 elements:            lane 5: the four elements of its own run
//
// A matrix load gives a lane data that other lanes addressed: lane 19 supplies the address of row 3 of matrix 2, lanes
// 12 to 15 receive it. The atlas row defines this in bits: which lane's address supplies a bit, and which lane receives
// it. For stores the same list gives the destinations of the registers.

// [lane][value] -> element; an inactive lane holds nothing. Requires: access is one of accesses(tile, spec).
[[nodiscard]] Result<std::vector<std::vector<TileCoord>>> heldAfter(const Tile& tile, const AccessSpec& spec,
                                                                    const TileAccess& access);

}  // namespace tessera
