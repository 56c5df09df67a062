// Levels: a tiled tensor as tiles, each tile where it lies: the outer level gives the place of the tile, the inner one the
// place in it, nested as often as there are levels.
//
//     %A:[2,2:1,16].[2,4:2,4].fp32.GL         a 2x2 arrangement of tiles of 2x4 elements
//     zipped_divide((8,16):(16,1), (4,8))     ((4,8),(2,2)): the first mode is the tile, the second says which
//     #warp:[4:4].[(4,2):(1,16)].thread       four groups of 2x4 threads: 0 to 3 over 16 to 19
//
// A level has dimensions; a dimension is one or several digits of the subject, the first one fastest. In the picture the
// last two dimensions of a level run down and across; those before them, and the levels of one dimension, stack to where
// the whole becomes squarer. The one dimension of an innermost level runs across, wrapped when it is long; when it is
// hierarchical, its first digit runs across and the others down, and what is around it stacks across.
//
// Laws (tests/render/levels_test.cpp): every coordinate has one cell and every cell one coordinate, and the cell of
// (tile, place in it) lies tile * (extent of a tile) + place along both sides, gaps aside.
//
// What it is not: the grid view of ((4,8),(2,2)), which has the 32 places of a tile down and the 4 tiles across.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/worksheet/value.h"
#include "render/draw/draw.h"
#include "render/draw/grid/colouring.h"
#include "render/draw/subject.h"

namespace tessera {

struct LevelDim {
  std::vector<int> leaves;  // of the subject, first fastest
  i64 extent = 1;
  i64 step = 1;  // of a run of 128 that is wrapped into 4 rows of 32, the rows: one leaf, 4 places, 32 apart
};
struct TileLevel {
  std::vector<LevelDim> dims;
};

// How a layout of two nested modes is cut: ((4,8),(2,2)) as zipped_divide says it (the first mode is the tile), or, as
// logical_divide does, mode by mode (the first digit of each mode is the place in the tile).
enum class LevelReading : unsigned char { Zipped, Logical };

struct Levels {
  std::shared_ptr<const Subject> subject;  // (coordinates of all levels) -> address; of threads: -> thread
  std::vector<TileLevel> levels;           // outermost first; at least one
  std::string unit = "element";            // of the innermost level: "element", "thread", "block"
  bool numbered = false;                   // of threads and blocks: the value is who it is
  bool both = false;                       // the other reading is one, too
};

// A Diag for what has no levels: a layout of one or two plain modes, sizes that are not known, several axes.
[[nodiscard]] Result<Levels> levelsOf(const Value& value, LevelReading reading = LevelReading::Zipped);
// Whether levels are what one wants to see first: a Graphene tensor in tiles, or one of threads.
[[nodiscard]] bool isLevelled(const Value& value);

// The levels as they lie on paper: each band has rows and columns of what the next one is.
struct Band {
  LevelDim down, across;
  int level = 0;
};
[[nodiscard]] std::vector<Band> bandsOf(const Levels& levels);

// Of the subject's leaves, in order.
[[nodiscard]] std::vector<i64> leafExtents(const Subject& subject);
// The digits of a cell, one number a leaf. Requires (row, column) inside the product of the bands.
void leavesAt(const std::vector<Band>& bands, const std::vector<i64>& extents, i64 row, i64 column,
              std::vector<i64>& leaves);
// And back.
[[nodiscard]] std::pair<i64, i64> cellOf(const std::vector<Band>& bands, const std::vector<i64>& extents,
                                         const std::vector<i64>& leaves);

// Elements of a tiled Graphene tensor as elements of the tensor that was declared: %A.tile([2:1],[4:1]) lights %A. Null
// for every other value, and beyond 2^16 elements.
[[nodiscard]] std::shared_ptr<const Link> declaredLink(const Value& value);

[[nodiscard]] Result<Figure> drawLevels(const Value& value, const DrawOptions& options);
// The same without title and choices, in the colours of those blocks of addresses: for pictures of several layouts.
[[nodiscard]] Figure drawLevelsPart(const Levels& levels, const AddressBlocks& blocks);

}  // namespace tessera
