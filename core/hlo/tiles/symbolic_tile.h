// SymbolicTile: for every tile of one array, the corresponding tile of another array: its offsets, sizes and strides
// are expressions over those of the first tile, with the conditions under which they hold.
//
// A tile is a box: per dimension, s elements from o on, t apart. The map relates elements of the two arrays (reads:
// from output to operand; uses: from operand to output). The image of the tile must be exactly a tile.
//
//     transpose [3,5] -> [5,3]     offsets [o1, o0], sizes [s1, s0], strides [t1, t0]
//     reduce [4,8] -> [4]          offsets [o0, 0], sizes [s0, 8], strides [t0, 1]
//     reshape [4,8] -> [32] read   one part of two dimensions. If o0 mod 8 + s0 <= 8:
//                                      offsets [o0 floordiv 8, o0 mod 8], sizes [1, s0]
//                                  If o0 mod 8 = 0 and s0 mod 8 = 0:
//                                      offsets [o0 floordiv 8, 0], sizes [s0 floordiv 8, 8]
//     reverse [12]                 offset -o0 - (s0 - 1) * t0 + 11, size s0, stride t0
//     (d0) -> (d0, d0)             only if s0 = 1: more elements move along both dimensions, which is not a box
//
// Parts: dimensions that share no dimension of the first array are solved independently. The ways of a part are its
// cases; any way whose conditions hold is correct. `within` clips a dimension to the domain of the map (padding, the
// other part of a concatenation).
//
// Laws (tests/hlo/symbolic_tile_test.cpp: every small tile of every small map against its enumerated image): if a way
// of each part holds, the tile's elements are exactly the image, and `nothing` means that the image is empty. If none
// holds, nothing is claimed, and `why` has the reason. Parameters describe a tile inside `box`; tileAt clips others.
//
// Not XLA's SymbolicTile, whose sizes are valid only for tiles that begin at 0. Here, `d0 floordiv 8` of 5 elements
// from 5 on is two, not one; a reversed split keeps its conditions; mixed signs have the right offset
// (docs/design/hlo.md).
//
// Tilings: candidate tile sizes for an array, and whether each tile corresponds to a tile of the array that it reads.
//
//     [3,4]                                    [1,1] [1,2] [1,4] [2,1] .. [3,4]: powers of two and the whole dimension
//     bitcast f32[1,8,6,4,8] -> f32[48,32]     6x8, 3x8, 12x16: yes.   4x8: no, at tile (1, 0): rows 4 to 7 span two 6s
//
// Laws: if Yes, the image of every tile is a tile or empty (the last tiles are clipped to the array); if No, `at` is
// the number of a tile whose image is not, and `why` what it would need. Unknown: more tiles than the limit.
// Source: XLA, SymbolicTileAnalysis::GetValidTilings, whose tiles also begin at multiples of their sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/tiles/progression.h"

namespace tessera::hlo {

struct SymbolicTile {
  struct Dimension {
    Progression is;
    std::optional<Range> within;  // elements outside are not in the image
  };
  struct Way {
    Conditions where;
    bool nothing = false;               // the image is empty
    std::vector<Dimension> dimensions;  // of the part, in its order
  };
  struct Part {
    std::vector<int> dimensions;  // of the array the map goes to; none: only decides whether the image is empty
    std::vector<int> from;        // of the array that is tiled
    std::vector<Way> ways;
    std::string why;  // why there is no other way

    [[nodiscard]] bool is() const;  // whether some way is a tile
  };
  std::vector<Param> params;      // o0, s0, t0, o1 ..., then the map's run-time values
  std::vector<Progression> tile;  // of the first array, over `params`
  std::vector<Range> box;         // where the map is defined, in coordinates of the first array
  std::vector<Part> parts;
  bool empty = false;        // the map has no points
  Map map;                   // simplified
  std::vector<int> runtime;  // those run-time values of the given map that remain

  // Whether every part has a way that is a tile.
  [[nodiscard]] bool is() const;
  [[nodiscard]] std::string why() const;  // why not: the first reason
};

// The size of one dimension: a number or a name.
struct TileSize {
  i64 number = 0;    // from 1
  std::string name;  // if there is no number
};

// Any tile: o0, s0, t0, o1, s1, t1 ...
[[nodiscard]] SymbolicTile symbolicTile(const Map& map);
// Tiles of these sizes and stride 1 at any offset: o0, o1 ... and the names. Sizes are clamped to the array's. A Diag:
// the number of sizes is not the rank, or a size is below 1.
[[nodiscard]] Result<SymbolicTile> symbolicTile(const Map& map, const std::vector<TileSize>& sizes);

struct TileSide {
  i64 offset = 0, size = 1, stride = 1;
  bool operator==(const TileSide&) const = default;
};
struct TileAt {
  enum class Kind : unsigned char { Tile, Nothing, None };
  Kind kind = Kind::None;
  std::vector<TileSide> sides;  // of a Tile: one per dimension, stride 1 where the size is 1
  std::string why;              // of None
};
// One concrete tile, clipped to the box; if no way holds, computed from its numbers. Requires the result of
// symbolicTile(map), a side with size and stride >= 1 per dimension, and a number for each run-time value of the map.
[[nodiscard]] TileAt tileAt(const SymbolicTile& tile, const std::vector<TileSide>& source,
                            const std::vector<i64>& runtime = {});

// The same for given `params`, which must describe a tile inside the box.
[[nodiscard]] TileAt tileWith(const SymbolicTile& tile, const std::vector<i64>& params);

// "o0 mod 8 + s0 <= 8"; several, joined by commas
[[nodiscard]] std::string textOf(const Guard& condition, const std::vector<Param>& params);
[[nodiscard]] std::string textOf(const Conditions& where, const std::vector<Param>& params);
[[nodiscard]] std::string textOf(const Expr& value, const std::vector<Param>& params);
// One line, or one per case for parts that have several.
[[nodiscard]] std::string textOf(const SymbolicTile& tile);
// If the first array, of these sizes, is larger than the box, adds which tiles are covered: "...; of tiles inside
// [3:8,0:4]".
[[nodiscard]] std::string textOf(const SymbolicTile& tile, const std::vector<i64>& sizes);
// "offsets [0,8], sizes [1,8], strides [1,1]"
[[nodiscard]] std::string textOf(const TileAt& tile);

// All combinations, last dimension fastest, of the powers of two below a dimension's size, and its size. None for an
// array without elements. A Diag: more than 2^16 combinations.
[[nodiscard]] Result<std::vector<std::vector<i64>>> candidateTilings(const std::vector<i64>& sizes);

struct Tiling {
  enum class Verdict : unsigned char { Yes, No, Unknown };
  Verdict verdict = Verdict::Yes;
  std::vector<i64> at;  // of No: the failing tile's number
  std::string why;
};
// For an array of these sizes and a map into another array. Requires a tile size >= 1 per dimension.
[[nodiscard]] Tiling tilingOf(const Map& map, const std::vector<i64>& sizes, const std::vector<i64>& tile);

}  // namespace tessera::hlo
