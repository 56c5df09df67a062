// An access over a tile, for drawing: which lane supplies the address of which row, and which lane and register receive
// each element, for every position of the instruction on *this* tile.
//
//     ldmatrix.x4 over Sw<3,3,3> o (64,64):(64,1), f16
//         16 positions of 16x16: (0,0) (0,16) ... (48,48)
//         at (16,32):  lane 19 supplies the address of row 19 from column 40 on; lane 12 receives (19,40) in V4 and
//                      (19,41) in V5; phase 2 of 4; no bank twice
//         (lane, value) -> index in the block:  ((4,8),(2,2,2)):((32,1),(16,8,128)), which is mma.m16n8k16's A
//
// It is a composition of arrows, Hardware -> Elements -> Memory: `lanes` of the access
// (core/analysis/access/access_map.h) and the tile's arrow. Three kinds have such an arrow:
//
//     an access       ldmatrix, stmatrix, ld, st, cp.async: lanes address memory (addresses, phases, banks)
//     an operand      mma.m16n8k16.A: lanes hold a fragment, loaded in any way; repeated over the tile
//     a layout        (thread, value) -> index of the tile, first mode fastest, as in composition(S, TV)
//
// Law (tests/render/access_over_test.cpp): over all positions every element is held as often as the instruction implies
// (an access and an operand: once), and each (lane, value) holds the element that PTX's tables give; the test writes
// them out.
//
// It is not a claim: conflict_free(S, ACCESS, TYPE) proves the number that the picture's badge counts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/access/access.h"
#include "core/atlas/atlas.h"
#include "core/layout/layout.h"

namespace tessera {

// A fragment that repeats over the tile: (thread, value) -> row + rows * column.
struct TileFragment {
  cute::Layout threadValue;
  cute::Layout threadId;  // thread -> lane
  i64 rows = 1, columns = 1;
  bool transposed = false;  // the tile has the operand's rows as columns: B is stored as K x N
  [[nodiscard]] i64 high() const { return transposed ? columns : rows; }  // rows and columns of the tile
  [[nodiscard]] i64 wide() const { return transposed ? rows : columns; }
  bool operator==(const TileFragment&) const = default;
};

struct AccessOver {
  std::string what;  // "ldmatrix.x4", "mma.m16n8k16.f32.f16.f16.f32 A"
  std::string type;  // "f16"
  Tile tile;
  std::vector<i64> extents;              // of the layout's modes, in its own coordinates
  Arrow memory;                          // the layout's, Elements -> Memory
  int rowDigits = 1;                     // the first digits of its map that form the row
  std::optional<AccessSpec> spec;        // an access
  std::optional<TileFragment> fragment;  // an operand or a layout
  bool operator==(const AccessOver& other) const;
};
// "ldmatrix.x4 over (64,64):(64,1), f16" and its totals, one per line.
[[nodiscard]] std::string print(const AccessOver& over);

struct LaneAddress {
  int lane = 0;
  TileCoord at;  // the first element of the lane's run
  i64 byte = 0;
  int phase = 0;
};
struct HeldElement {
  i64 thread = 0;
  i64 value = 0;
  TileCoord at;
};

// One position of the instruction.
struct AccessStep {
  TileCoord position;                  // of the block, or of the first lane's element: identifies the step
  TileCoord corner;                    // the first row and column accessed
  TileCoord end;                       // one past the last row and column accessed
  std::vector<LaneAddress> addresses;  // by lane; empty for fragments
  std::vector<HeldElement> held;       // by thread, then by value
  std::optional<WarpAccess> warp;      // of an access
};

// All positions in order, computed on demand. A Diag if the instruction does not fit the tile: element size, extents,
// contiguity, alignment, each with what would fit.
class AccessSteps {
 public:
  [[nodiscard]] static Result<AccessSteps> of(const AccessOver& over);
  [[nodiscard]] std::size_t count() const { return positions_.size(); }
  [[nodiscard]] TileCoord position(std::size_t k) const { return positions_[k]; }
  [[nodiscard]] const std::vector<TileCoord>& positions() const { return positions_; }
  [[nodiscard]] std::optional<std::size_t> at(TileCoord position) const;
  [[nodiscard]] AccessStep step(std::size_t k) const;
  // For shared memory: the totals over all positions, and the position with the most excess (else the first).
  [[nodiscard]] const std::optional<TileBankReport>& banks() const { return banks_; }
  [[nodiscard]] std::size_t worst() const { return worst_; }

 private:
  const AccessOver* over_ = nullptr;  // must outlive the steps
  std::vector<TileCoord> positions_;
  std::vector<TileAccess> accesses_;
  std::optional<TileBankReport> banks_;
  std::size_t worst_ = 0;
};

// (lane, value) -> row + rows * column of the step's block as a layout, if there is one.
[[nodiscard]] std::optional<cute::Layout> fragmentLayout(const AccessStep& step);

template <>
struct NotationOf<AccessOver> {
  static std::string_view kind(const AccessOver&) { return "access"; }
  static std::string_view noun(const AccessOver&) { return "an access over a tile"; }
  // Hardware -> Memory: for an access, the first address of each lane; for a fragment, every value.
  static Result<Arrow> arrow(const AccessOver& over);
  static LayoutFacts facts(const AccessOver& over);
};

}  // namespace tessera
