// WordPoints: the points that cells of a bank picture represent. A word of shared memory represents the elements stored
// in it; a bank in a phase represents the elements of the words that it must deliver.
//
//     S = (8,64):(64,1) f16, ldmatrix.x1 at (0,0): lane 2 reads row 2, bytes 256 to 271, words 64 to 67
//     word 64          elements (2,0) and (2,1); bank 0; requested in phase 0 by lane 2, the third of 8 wavefronts
//     element (2,1)    word 64; (phase 0, bank 0)
//     thread 2         words 64 to 67; (phase 0, banks 0 to 3)
//
// Law: an element is found in exactly the words that its bits occupy. A word without elements (padding, an access
// without a layout) is itself a point, so that two pictures of one access still correspond.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/access/access.h"
#include "core/layout/layout.h"
#include "render/figure/linked.h"

namespace tessera {

class WordPoints {
 public:
  // A word that a bank delivers in a phase: its wavefront within that bank, and the requesting lanes.
  struct Ask {
    int phase = 0, bank = 0;
    i64 word = 0;
    int wavefront = 0, of = 1;  // 0-based, of `of`
    std::vector<int> lanes;
  };

  // Without a tile the words themselves are the points.
  explicit WordPoints(const WarpAccess& access) : WordPoints(access, nullptr, 0) {}
  // `domain`: of the layout that the tile was made from.
  WordPoints(const WarpAccess& access, const Tile& tile, u64 domain) : WordPoints(access, &tile, domain) {}

  [[nodiscard]] const std::vector<Ask>& asks() const { return asks_; }
  // The points of a word. Requires a word in one of the access's rows of 128 bytes.
  [[nodiscard]] std::vector<Point> in(i64 word) const;
  [[nodiscard]] std::vector<Point> in(int phase, int bank) const;
  // The words of an element or of a lane, or the word that the point is.
  [[nodiscard]] std::vector<i64> wordsOf(Point point) const;
  // The requests for a point: a lane's own; otherwise all for its words.
  [[nodiscard]] std::vector<Ask> asksOf(Point point) const;
  // Relates elements to the lanes whose addresses read or write them; null without a tile.
  [[nodiscard]] LinkPtr lanes() const;

 private:
  WordPoints(const WarpAccess& access, const Tile* tile, u64 domain);
  void takeElements(const Tile& tile);

  WarpAccess access_;
  u64 domain_ = 0;
  i64 rows_ = 0;
  int bits_ = 0;
  std::vector<Ask> asks_;
  std::unordered_map<i64, std::vector<i64>> elements_;  // word -> indices
  std::unordered_map<i64, i64> bit_;                    // index -> first bit
};

// The position of an element in shared memory and how the usual, or the given, access reaches it; for the inspector.
struct BankPlace {
  i64 bit = 0, word = 0, bank = 0;
  int elementBits = 0;
  AccessSpec access;
  TileCoord position;                 // of the access
  std::vector<WordPoints::Ask> asks;  // of that access; empty if no access of the instruction touches the element
  std::optional<int> lane, reg;       // that receives or supplies the element
  std::string how;                    // the derivation of lane and register
};
// `point`: of the layout's own domain. Returns a Diag if the layout is not a tile of memory or too large to walk its
// accesses.
[[nodiscard]] Result<BankPlace> bankPlaceOf(const Layout& layout, int elementBits,
                                            const std::optional<AccessSpec>& spec, Point point);

// The access that a kernel would use on this tile: ldmatrix.x4, else 16 bytes per lane, else one element.
[[nodiscard]] Result<AccessSpec> usualAccess(const Tile& tile);

}  // namespace tessera
