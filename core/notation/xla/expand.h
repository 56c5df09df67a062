// How tiles expand the dimensions: the list of digits that an element's address is made of.
//
//     f32[3,5]{1,0:T(2,2)}     dims 3 5  ->  2 3 2 2:   d0 floordiv 2, d1 floordiv 2, d0 mod 2, d1 mod 2
//
// A digit of the address reads one merged run of dimensions (usually one dimension) at one weight: it is
//     ((e / divisor_1 mod modulus_1) / divisor_2 mod ...)
// and it counts `weight` elements of its run.
// Steps are kept as data so that three readers (the evaluator, the inverse, the Map) say the same.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/base/types.h"
#include "core/notation/xla/shape.h"

namespace tessera::xla {

// One cut of the digits list by one tile: runs to merge, then quotients and remainders.
struct Step {
  std::vector<i64> before;              // dims, major to minor, with leading ones so that the tile fits
  std::size_t prepended = 0;            // leading ones added
  std::vector<std::size_t> groupBegin;  // of each merged dim, its first dim in `before`; one past the end last
  std::vector<i64> merged;              // dims after merging
  std::vector<i64> tile;                // for the last tile.size() merged dims
};

struct Expansion {
  std::vector<std::size_t> order;  // logical dimension of each physical one, major to minor
  std::vector<Step> steps;         // one a tile
  std::vector<i64> dims;           // the final dims: slots is their product
};

// One digit of the address, major to minor as `dims`: what it counts of which dimension.
struct Digit {
  static constexpr std::size_t kShared = static_cast<std::size_t>(-1);
  std::size_t dim = kShared;  // kShared: dimensions that * has merged, or none (a prepended one)
  i64 weight = 1;             // elements of the dimension that one step is
  i64 extent = 1;             // steps that exist; the slots of the digit may be more
  i64 stride = 1;             // slots that one step is
  // A tile that does not divide what it cuts, and how much it cut: 2 and 5; the weight of one of these 5.
  std::optional<std::pair<i64, i64>> uneven;
  i64 pieceWeight = 1;
};
[[nodiscard]] std::vector<Digit> digitsOf(const Expansion& expansion, const std::vector<i64>& sizes);
// Of each dimension the largest n such that n elements that follow each other along it, from a multiple of n on (fewer
// at its end), lie in adjacent slots. 1: neighbours are apart; also for a dimension that * merges.
[[nodiscard]] std::vector<i64> contiguity(const Expansion& expansion, const std::vector<i64>& sizes);

// nullopt when a merged dimension passes 2^63.
[[nodiscard]] std::optional<Expansion> expand(const std::vector<i64>& sizes, const Layout& layout);
// 0 when a factor is 0; nullopt past 2^63-1.
[[nodiscard]] std::optional<i64> product(const std::vector<i64>& factors);
// ceil(slots * bits / 8); nullopt past 2^63-1.
[[nodiscard]] std::optional<i64> byteCount(i64 slots, i64 bits);

}  // namespace tessera::xla
