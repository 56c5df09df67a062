// Tile traffic: what a kernel reads of its operands if each block computes one tile of the output.
//
//     dot of f32[1024,1024] and f32[1024,1024]
//         128x128     64 tiles, each reads 128x1024 and 1024x128, 524 KB each; in all 67.1 MB for 8.39 MB: 8 times
//         64x64      256 tiles, 262 KB of each operand; in all 134 MB: 16 times
//
// A block loads each element of an operand's tile (core/hlo/tiles/tile.h) once, in sectors of 32 bytes (warp_reads.h).
// The tile is of the product inside of a fusion if the plan has one (plan.h), otherwise of the kernel's output; what
// the operations after a product read besides is read by a loop over the output and does not depend on the tile.
//
// Of several outputs, the first.
//
// Law: with the tile of a plan of tiles, `asked` of each operand of a kernel with one output is that of the ranking
// (tests/hlo/tile_traffic_test).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/hlo/cost/plan.h"
#include "core/hlo/cost/waste.h"
#include "core/hlo/tiles/tile.h"

namespace tessera::hlo {

struct OperandTraffic {
  int operand = 0;
  std::string name = {};
  std::vector<OperandTile> tiles = {};         // one for each different read; none: it does not depend on the tile
  std::optional<i64> tileBytes = {};           // of the tiles of one block; nullopt: some is not a tile
  std::optional<i64> needed = {}, asked = {};  // bytes by all blocks; nullopt: unknown
  bool inSectors = false;                      // asked counts sectors; false: the elements of the tiles
  std::string why = {};                        // why something is unknown
};
struct TileTraffic {
  std::vector<i64> sizes = {}, tile = {};  // of the tiled array
  i64 tiles = 0;
  std::vector<OperandTraffic> operands = {};

  // Over the operands of which both are known.
  [[nodiscard]] i64 needed() const;
  [[nodiscard]] i64 asked() const;
};

// The array that the tiles of a plan divide. A Diag: it is not an array.
[[nodiscard]] Result<xla::Shape> tiledArray(const Module& module, Where where, const Plan& plan);
// The plan's tile: of a product or a Triton fusion; 32x32 of a transposition. For other plans the elements of a block
// of 128 threads, in memory order.
[[nodiscard]] std::vector<i64> tileOf(const Module& module, const Plan& plan, const xla::Shape& tiled);
// The sizes to choose from: powers of two below the dimension's size, the size itself, and `further`; ascending.
[[nodiscard]] std::vector<i64> tileSizes(i64 dimension, const std::vector<i64>& further = {});

// `kernel`: from wasteOf or a ranking. A Diag: the tile has the wrong rank or a size outside of the array, or the reads
// do not compose.
[[nodiscard]] Result<TileTraffic> tileTraffic(const Module& module, const KernelWaste& kernel, const Plan& plan,
                                              const std::vector<i64>& tile);

}  // namespace tessera::hlo
