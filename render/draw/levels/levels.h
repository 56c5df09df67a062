// Levels: a tiled tensor drawn as tiles in place: the outer level gives the place of a tile, the inner one the place
// within it, nested to any depth.
//
//     %A:[2,2:1,16].[2,4:2,4].fp32.GL         a 2x2 arrangement of tiles of 2x4 elements
//     zipped_divide((8,16):(16,1), (4,8))     ((4,8),(2,2)): the first mode is the tile, the second selects it
//     #warp:[4:4].[(4,2):(1,16)].thread       four groups of 2x4 threads: 0 to 3 over 16 to 19
//
// A level has dimensions; a dimension is one or more digits of the subject, the first one fastest. The last two
// dimensions of a level run down and across. Further dimensions, and levels of one dimension, stack in the direction
// that makes the whole more square. The single dimension of an innermost level runs across, wrapped if it is long; if
// it is hierarchical, its first digit runs across and the others down, and the surrounding levels stack across.
//
// Laws (tests/render/levels_test.cpp): coordinates and cells correspond one to one; along both sides the cell of (tile,
// place in it) is at tile * (extent of a tile) + place, gaps aside.
//
// Not the grid view of ((4,8),(2,2)), which has the 32 places of a tile down and the 4 tiles across.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "render/draw/draw.h"
#include "render/draw/subject.h"
#include "render/figure/figure.h"

namespace tessera {

struct LevelDim {
  std::vector<int> leaves;  // of the subject, first fastest
  i64 extent = 1;
  i64 step = 1;  // for a run of 128 wrapped into 4 rows of 32, the rows: one leaf, 4 places, 32 apart
};
struct TileLevel {
  std::vector<LevelDim> dims;
};

// How a layout of two nested modes is split: Zipped, as in zipped_divide (the first mode of ((4,8),(2,2)) is the tile),
// or Logical, as in logical_divide, mode by mode (the first digit of each mode is the place in the tile).
enum class LevelReading : unsigned char { Zipped, Logical };

struct Levels {
  SubjectPtr subject;             // (coordinates of all levels) -> address; for threads: -> thread
  std::vector<TileLevel> levels;  // outermost first, not empty
  std::string unit = "element";   // of the innermost level: "element", "thread", "block"
  bool numbered = false;          // for threads and blocks: the value is their number
  bool both = false;              // the other reading is possible, too
};

// Returns a Diag for layouts without levels: one or two plain modes, unknown sizes, several axes. `text`: the layout's
// own if empty.
[[nodiscard]] Result<Levels> levelsOf(const Layout& layout, LevelReading reading = LevelReading::Zipped,
                                      const std::string& text = {});
// Whether levels is the default view: for a tiled Graphene tensor, or one of threads.
[[nodiscard]] bool isLevelled(const Layout& layout);

// The levels as drawn: each band arranges its contents in rows and columns.
struct Band {
  LevelDim down, across;
  int level = 0;
  [[nodiscard]] const LevelDim& along(bool isDown) const { return isDown ? down : across; }
};
[[nodiscard]] std::vector<Band> bandsOf(const Levels& levels);

// The number that a dimension's leaves form, the first one fastest.
[[nodiscard]] i64 joinedOf(const LevelDim& dim, const std::vector<i64>& extents, const std::vector<i64>& leaves);
// The digits of a cell, one per leaf. Requires (row, column) inside the product of the bands.
void leavesAt(const std::vector<Band>& bands, const std::vector<i64>& extents, i64 row, i64 column,
              std::vector<i64>& leaves);
// The inverse.
[[nodiscard]] std::pair<i64, i64> cellOf(const std::vector<Band>& bands, const std::vector<i64>& extents,
                                         const std::vector<i64>& leaves);

// Maps elements of a tiled Graphene tensor to elements of the declared tensor: %A.tile([2:1],[4:1]) lights %A. Null for
// other layouts and beyond 2^16 elements.
[[nodiscard]] std::shared_ptr<const Link> declaredLink(const Layout& layout);

[[nodiscard]] Result<Figure> drawLevels(const Layout& layout, const std::string& text, const DrawOptions& options);
// The same without title and choices, coloured by the given blocks of addresses, for pictures of several layouts.
[[nodiscard]] Figure drawLevelsPart(const Levels& levels, const AddressBlocks& blocks);

// The cells of a picture by levels, and their colouring.

enum class LevelColour : unsigned char { Tile, Address, Plain };
enum class LevelLabel : unsigned char { Number, Coord, Index };

// Shared by all grids of one picture.
struct LevelPicture {
  Levels levels;
  std::vector<Band> bands;
  std::vector<i64> extents;  // of the leaves
  std::size_t apart = 0;     // number of bands that are separate grids; the others are cells
  LevelColour colour = LevelColour::Tile;
  LevelLabel label = LevelLabel::Number;
  AddressBlocks blocks;
  std::unordered_map<i64, std::vector<i64>> whoIs;  // if numbered: thread -> indices; empty beyond 2^16 threads
};
using LevelPicturePtr = std::shared_ptr<const LevelPicture>;

// Rows and columns of the cells of one grid; for the contents of `band`: rowsFrom(p, band + 1).
[[nodiscard]] i64 extentFrom(const LevelPicture& p, std::size_t band, bool down);
[[nodiscard]] inline i64 rowsFrom(const LevelPicture& p, std::size_t band) { return extentFrom(p, band, true); }
[[nodiscard]] inline i64 columnsFrom(const LevelPicture& p, std::size_t band) { return extentFrom(p, band, false); }

// The cells of the grid whose first cell is (row, column) of the whole.
[[nodiscard]] std::shared_ptr<const CellSource> levelCells(LevelPicturePtr picture, i64 row, i64 column);

// One coordinate per level, for the first `levels`: "1,0 0,3".
[[nodiscard]] std::string coordinateText(const LevelPicture& p, const std::vector<i64>& leaves, std::size_t levels);

}  // namespace tessera
