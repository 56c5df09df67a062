// SymbolicTile: the tile of one array that goes with a tile of another, for every tile at once: offsets, sizes and strides as expressions
// of the first tile's, and the conditions under which they are right.
//
// A tile is a box: from element o on, s elements of each dimension, t apart. The map says what an element goes with (reads: an element of
// the output its operand's; uses: the other way), and the tile's image has to be a tile, exactly.
//
//     transpose [3,5] -> [5,3]     offsets [o1, o0], sizes [s1, s0], strides [t1, t0]
//     reduce [4,8] -> [4]          offsets [o0, 0], sizes [s0, 8], strides [t0, 1]
//     reshape [4,8] -> [32] read   one part of two dimensions: where o0 mod 8 + s0 <= 8: offsets [o0 floordiv 8, o0 mod 8], sizes [1, s0]
//                                  or where o0 mod 8 = 0 and s0 mod 8 = 0: offsets [o0 floordiv 8, 0], sizes [s0 floordiv 8, 8]
//     reverse [12]                 offset -o0 - (s0 - 1) * t0 + 11, size s0, stride t0
//     (d0) -> (d0, d0)             where s0 = 1 only: more elements move in two dimensions together, which is no box
//
// Parts: dimensions that share no dimension of the first array are decided on their own; a part's ways are its cases. Any way whose
// conditions hold is right. `within` cuts a dimension off: what the map does not have there (padding, the other part of a concatenation).
//
// Laws (tests/hlo/symbolic_tile_test.cpp, every small tile of every small map beside its enumerated image): where a way of each part holds,
// the tile's elements are the image, no more and no less, and `nothing` says that the image is empty. Where none holds nothing is said,
// and `why` has the reason. Parameters speak of a tile that lies inside of `box`; tileAt cuts other tiles to it.
//
// Not XLA's SymbolicTile, whose sizes are of tiles that begin at 0: `d0 floordiv 8` of 5 elements from 5 on is two, not one; a reversed
// split keeps its conditions; mixed signs have the right offset (docs/design/hlo.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/progression.h"

namespace tessera::hlo {

struct SymbolicTile {
  struct Dimension {
    Progression is;
    std::optional<Range> within;  // elements outside are not of the image
  };
  struct Way {
    Conditions where;
    bool nothing = false;               // the image is empty
    std::vector<Dimension> dimensions;  // as the part's
  };
  struct Part {
    std::vector<int> dimensions;  // of the array that the map goes to; none: whether there is anything
    std::vector<int> from;        // of the array that the tile is of
    std::vector<Way> ways;
    std::string why;  // other tiles have none
  };
  std::vector<Param> params;      // o0, s0, t0, o1 ..., then the map's run-time values
  std::vector<Progression> tile;  // the first array's, over them
  std::vector<Range> box;         // where the map has anything, in coordinates of the first array
  std::vector<Part> parts;
  bool empty = false;        // the map has nothing anywhere
  Map map;                   // simplified
  std::vector<int> runtime;  // of the given map's run-time values, those that are left

  // Every part has a way that is a tile.
  [[nodiscard]] bool is() const;
  [[nodiscard]] std::string why() const;  // it is none: the first reason
};

// Of each size either a number or a name.
struct TileSize {
  i64 number = 0;    // from 1
  std::string name;  // where there is no number
};

// Any tile: o0, s0, t0, o1, s1, t1 ...
[[nodiscard]] SymbolicTile symbolicTile(const Map& map);
// Tiles of these sizes and stride 1, wherever they begin: o0, o1 ... and the names. A size larger than the array is the array's.
// A Diag: another number of sizes than dimensions, or a size below 1.
[[nodiscard]] Result<SymbolicTile> symbolicTile(const Map& map, const std::vector<TileSize>& sizes);

struct TileSide {
  i64 offset = 0, size = 1, stride = 1;
  bool operator==(const TileSide&) const = default;
};
struct TileAt {
  enum class Kind : unsigned char { Tile, Nothing, None };
  Kind kind = Kind::None;
  std::vector<TileSide> sides;  // of a Tile: a dimension each, stride 1 where the size is 1
  std::string why;              // of None
};
// One tile by its numbers, cut to the box; where no way holds, by the arithmetic of its own numbers. Requires a tile of
// symbolicTile(map), a side for each dimension with size and stride from 1, and a value for each run-time value of that map.
[[nodiscard]] TileAt tileAt(const SymbolicTile& tile, const std::vector<TileSide>& source,
                            const std::vector<i64>& runtime = {});

// The same by a value for each of `params`, which have to be of a tile inside of the box.
[[nodiscard]] TileAt tileWith(const SymbolicTile& tile, const std::vector<i64>& params);

// "o0 mod 8 + s0 <= 8"
[[nodiscard]] std::string textOf(const Guard& condition, const std::vector<Param>& params);
[[nodiscard]] std::string textOf(const Expr& value, const std::vector<Param>& params);
// A line, or one for each case of parts that have several.
[[nodiscard]] std::string textOf(const SymbolicTile& tile);
// With what it speaks of, where the first array, of these sizes, is more than that: "...; of tiles inside [3:8,0:4]".
[[nodiscard]] std::string textOf(const SymbolicTile& tile, const std::vector<i64>& sizes);
// "offsets [0,8], sizes [1,8], strides [1,1]"
[[nodiscard]] std::string textOf(const TileAt& tile);

}  // namespace tessera::hlo
