// WordPoints: what the cells of a bank picture stand for. A word of shared memory stands for the elements that lie in it,
// a bank in a phase for the elements of the words that it must deliver there.
//
//     S = (8,64):(64,1) f16, ldmatrix.x1 at (0,0): lane 2 reads row 2, bytes 256 to 271, words 64 to 67
//     word 64          elements (2,0) and (2,1); bank 0; asked for in phase 0 by lane 2, the third of 8 wavefronts
//     element (2,1)    word 64; (phase 0, bank 0)
//     thread 2         words 64 to 67; (phase 0, banks 0 to 3)
//
// Law: an element is found in exactly the words that its bits touch. A word that holds no element (padding, an access
// without a layout) is a point of its own, so that two pictures of one access still agree.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/access.h"
#include "core/worksheet/value.h"
#include "render/figure/linked.h"

namespace tessera {

class WordPoints {
 public:
  // One word that a bank delivers in a phase: its place in the line of that bank, and who asked.
  struct Ask {
    int phase = 0, bank = 0;
    i64 word = 0;
    int wavefront = 0, of = 1;  // the first is 0
    std::vector<int> lanes;
  };

  // Without a tile the words themselves are the points.
  explicit WordPoints(const WarpAccess& access) : WordPoints(access, nullptr, 0) {}
  // `domain`: of the layout that the tile was made from.
  WordPoints(const WarpAccess& access, const Tile& tile, u64 domain) : WordPoints(access, &tile, domain) {}

  [[nodiscard]] const std::vector<Ask>& asks() const { return asks_; }
  // What a word stands for. Requires a word in one of the access's rows of 128 bytes.
  [[nodiscard]] std::vector<Point> in(i64 word) const;
  [[nodiscard]] std::vector<Point> in(int phase, int bank) const;
  // The words of an element, of a lane, or the word that the point is.
  [[nodiscard]] std::vector<i64> wordsOf(Point point) const;
  // The asks that answer for it: of a lane its own, else all for those words.
  [[nodiscard]] std::vector<Ask> asksOf(Point point) const;
  // Elements and the lanes at whose addresses they are read or written; null without a tile.
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
  std::unordered_map<i64, i64> bit_;                    // index -> its first bit
};

// Where an element is in shared memory and how the usual access, or that one, reaches it; what the inspector says.
struct BankPlace {
  i64 bit = 0, word = 0, bank = 0;
  int elementBits = 0;
  AccessSpec access;
  TileCoord position;                 // of the access
  std::vector<WordPoints::Ask> asks;  // of it; empty: no access of the instruction touches the element
  std::optional<int> lane, reg;       // that receives or gives the element
  std::string how;                    // the derivation of lane and register
};
// Point of the value's own domain. A Diag when the value is no tile of memory or too large for a walk over its accesses.
[[nodiscard]] Result<BankPlace> bankPlaceOf(const Value& value, int elementBits, const std::optional<AccessSpec>& spec,
                                            Point point);

// The access a kernel would use on this tile: ldmatrix.x4, else 16 bytes a lane, else one element.
[[nodiscard]] Result<AccessSpec> usualAccess(const Tile& tile);

}  // namespace tessera
