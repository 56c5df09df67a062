// How tiles expand the dimensions: the list of digits that form an element's address.
//
//     f32[3,5]{1,0:T(2,2)}     dims 3 5  ->  2 3 2 2:   d0 floordiv 2, d1 floordiv 2, d0 mod 2, d1 mod 2
//
// A digit of the address reads one merged run of dimensions (usually one dimension) at one weight: it is
//     ((e / divisor_1 mod modulus_1) / divisor_2 mod ...)
// and counts `weight` elements of its run.
// Steps are stored as data, shared by the evaluator, the inverse and the Map.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/base/types.h"
#include "core/notation/xla/shape.h"

namespace tessera::xla {

// One tile applied to the digits: runs to merge, then quotients and remainders.
struct Step {
  std::vector<i64> before;              // dims, major to minor, with leading ones if the tile has more entries
  std::size_t prepended = 0;            // leading ones added
  std::vector<std::size_t> groupBegin;  // first dim in `before` of each merged dim; then one past the end
  std::vector<i64> merged;              // dims after merging
  std::vector<i64> tile;                // for the last tile.size() merged dims
};

struct Expansion {
  std::vector<std::size_t> order;  // logical dimension of each physical one, major to minor
  std::vector<Step> steps;         // one per tile
  std::vector<i64> dims;           // the final dims: their product is slots
};

// One digit of the address, major to minor as in `dims`: what it counts, and of which dimension.
struct Digit {
  static constexpr std::size_t kShared = static_cast<std::size_t>(-1);
  std::size_t dim = kShared;  // kShared: dimensions merged by *, or none (a prepended one)
  i64 weight = 1;             // elements of the dimension per step
  i64 extent = 1;             // existing steps; the digit may have more slots
  i64 stride = 1;             // slots per step
  // A tile that does not divide its dimension, and that dimension's
  // extent: 2 and 5; pieceWeight: the weight of one of the 5.
  std::optional<std::pair<i64, i64>> uneven;
  i64 pieceWeight = 1;
};
[[nodiscard]] std::vector<Digit> digitsOf(const Expansion& expansion, const std::vector<i64>& sizes);
// Per dimension, the largest n such that n consecutive elements along it, starting at a multiple of n (fewer at its
// end), are in adjacent slots. 1: neighbours are apart, or a dimension merged by *.
[[nodiscard]] std::vector<i64> contiguity(const Expansion& expansion, const std::vector<i64>& sizes);

// nullopt: a merged dimension exceeds 2^63.
[[nodiscard]] std::optional<Expansion> expand(const std::vector<i64>& sizes, const Layout& layout);
// 0 if a factor is 0; nullopt above 2^63-1.
[[nodiscard]] std::optional<i64> product(const std::vector<i64>& factors);
// ceil(slots * bits / 8); nullopt above 2^63-1.
[[nodiscard]] std::optional<i64> byteCount(i64 slots, i64 bits);

}  // namespace tessera::xla
