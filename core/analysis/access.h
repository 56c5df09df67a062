// Access patterns: which bytes a warp's lanes touch when one instruction walks over a tile.
//
// An AccessSpec is an instruction and the usual way kernels aim it at a tile; `accesses` lists every warp-wide access
// that covers the tile, position by position, with each lane's coordinate and byte address.
//
//     ldmatrix.x4            a 16-byte row a lane: lane l -> row l%16, 16-byte column l/16 of a 16x16 fp16 block
//                            (8x32 or 32x8 for tiles that are 8 high or wide); .x2: 16x8 or 8x16; .x1: 8x8
//     stmatrix.xN            the same, stored
//     ld.shared.v4, st...    16 bytes a lane; lanes run along the contiguous dimension, then to the next row
//     ld.shared              one element a lane;  .v1 .v2 .v4 4, 8, 16 bytes;  .u8 .u16 .b32 .b64 .b128 that width
//     cp.async16 (8, 4)      global -> shared, a store to shared memory of that width
//     ....column, ....row    lanes run down a column (one row each) or along a row, whatever is contiguous
//
// Worked: (8,64):(64,1) fp16 with ldmatrix.x1 at (0,0): lane l reads bytes 128*l .. 128*l+15, 8 rows in 4 banks: 8-way.
//
// Vectors must be contiguous and aligned in the tile; otherwise a Diag names the coordinate and what would fit.
// .trans transposes inside the registers, so it reads the same bytes;
// it is what a tile that is contiguous down its columns needs.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/banks.h"
#include "core/analysis/coalescing.h"
#include "core/analysis/tile.h"

namespace tessera {

enum class MemorySpace : unsigned char { Shared, Global };
enum class LaneOrder : unsigned char { Contiguous, AlongRow, DownColumn };

struct AccessSpec {
  std::string text;  // as typed
  AccessKind kind = AccessKind::Load;
  MemorySpace space = MemorySpace::Shared;
  int width = 0;     // bytes a lane; 0: one element
  int matrices = 0;  // ldmatrix, stmatrix
  bool trans = false;
  LaneOrder order = LaneOrder::Contiguous;
  bool operator==(const AccessSpec&) const = default;
};
[[nodiscard]] Result<AccessSpec> parseAccess(std::string_view text);

struct TileCoord {
  i64 row = 0, column = 0;
  bool operator==(const TileCoord&) const = default;
};

// One warp-wide access: where it stands, what each lane asks for.
struct TileAccess {
  std::size_t spec = 0;                     // which of the specs
  TileCoord position;                       // the corner of the block, or the first lane's element
  WarpAccess warp;                          // addresses; width resolved
  std::array<TileCoord, kWarpLanes> lanes;  // first element of each active lane
};

// Every access of the instruction over the tile. A Diag when the instruction does not fit: element size, tile size,
// contiguity, alignment, each with what would fit.
[[nodiscard]] Result<std::vector<TileAccess>> accesses(const Tile& tile, const AccessSpec& spec);
// The same through a thread-value layout (an mma fragment, a tiled copy): (thread, value) -> index in a blockRows x
// blockColumns block, column-major; width/element consecutive values make one vector; the block repeats over the tile.
[[nodiscard]] Result<std::vector<TileAccess>> accessesThrough(const Tile& tile, const CuteLayout& threadValue,
                                                              i64 blockRows, i64 blockColumns, const AccessSpec& spec);

// All accesses of all instructions, summed: what the bank view's badge and `conflict_free` say.
struct TileBankReport {
  i64 instructions = 0;
  i64 wavefronts = 0, ideal = 0, excess = 0;
  int conflictDegree = 0;           // the worst phase
  std::optional<TileAccess> worst;  // the access with the most excess, when there is excess
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

}  // namespace tessera
