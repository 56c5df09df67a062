// Addressing: maps an index of an XLA array to its address and back, with nested tiles and padding.
//
//     dims, idx := dimensions and index, major to minor
//     for each tile (t_1..t_k): merge dimensions joined by *; prepend ones if k > rank; for the last k dims
//         dims := prefix ++ ceil(d_j / t_j) ++ t_j          idx := prefix ++ e_j floordiv t_j ++ e_j mod t_j
//     linear := row-major of idx in dims                    (slots; times the stored bits gives the bit address)
//
//     f32[3,5]{1,0:T(2,2)} at (2,3): idx 1 1 0 1 in 2 3 2 2 -> 17;  24 slots, 15 real, 37.5 % padding
//
// XLA's helpers disagree with each other. Sizes and topTileLinear report the number of each:
//     LinearIndexForNestedTiling, Delinearize   all tiles: this file's numbers
//     ShapeUtil::ArraySize                      the first tile only (omits padding sub-tiles); L only if tiled; the
//                                               largest piece of SC
//     LayoutUtil::LinearIndex, ArrayDataSize    the first tile only; for rank 1 the index itself
//     IndexUtil, bitcasts                       no tiles
// None of them implements `*`.
//
// Laws: linear is injective; at(linear(i)) == i; exactly slots - elements slots are padding.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/map/map.h"
#include "core/notation/xla/shape.h"

namespace tessera::xla {

// Expansion: the digits into which tiles split the dimensions, and which form an element's address.
//
//     f32[3,5]{1,0:T(2,2)}     dims 3 5  ->  2 3 2 2:   d0 floordiv 2, d1 floordiv 2, d0 mod 2, d1 mod 2
//
// A digit of the address depends on one merged run of dimensions (usually one dimension): it is
//     ((e / divisor_1 mod modulus_1) / divisor_2 mod ...)
// and counts `weight` elements of its run. The steps are data, shared by the evaluator, the inverse and the Map.

// One tile, applied to the digits: merges runs, then takes quotients and remainders.
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

// One digit of the address, major to minor as in `dims`, with its dimension and what it counts.
struct Digit {
  static constexpr std::size_t kShared = static_cast<std::size_t>(-1);
  std::size_t dim = kShared;  // kShared: dimensions merged by *, or none (a prepended one)
  i64 weight = 1;             // elements of the dimension per step
  i64 extent = 1;             // steps with elements; the digit may have more slots
  i64 stride = 1;             // slots per step
  // A tile that does not divide its dimension, and that extent: 2 and 5. pieceWeight: the weight of one of the 5.
  std::optional<std::pair<i64, i64>> uneven;
  i64 pieceWeight = 1;
};
[[nodiscard]] std::vector<Digit> digitsOf(const Expansion& expansion, const std::vector<i64>& sizes);
// For each dimension, the largest n such that every n consecutive elements along it that start at a multiple of n
// (fewer at its end) are in adjacent slots. 1 if neighbours are not adjacent, or * merges the dimension.
[[nodiscard]] std::vector<i64> contiguity(const Expansion& expansion, const std::vector<i64>& sizes);

// nullopt: a merged dimension exceeds 2^63.
[[nodiscard]] std::optional<Expansion> expand(const std::vector<i64>& sizes, const Layout& layout);
// 0 if a factor is 0; nullopt above 2^63-1.
[[nodiscard]] std::optional<i64> product(const std::vector<i64>& factors);
// ceil(slots * bits / 8); nullopt above 2^63-1.
[[nodiscard]] std::optional<i64> byteCount(i64 slots, i64 bits);

class Addressing {
 public:
  Addressing() = default;  // empty; use create
  // A Diag for shapes without addresses: tuples, tokens, and arrays with a `?` dimension.
  [[nodiscard]] static Result<Addressing> create(const Shape& shape);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Expansion& expansion() const { return expansion_; }
  [[nodiscard]] i64 elements() const { return elements_; }
  [[nodiscard]] i64 slots() const { return slots_; }            // with the tail alignment L
  [[nodiscard]] i64 tiledSlots() const { return tiledSlots_; }  // without L
  [[nodiscard]] i64 bytes() const { return bytes_; }            // of all slots

  // linear requires an index inside the array; locate checks that.
  [[nodiscard]] i64 linear(std::span<const i64> index) const;
  [[nodiscard]] Result<i64> locate(std::span<const i64> index) const;

  // The content of a slot. For padding, `index` is out of bounds, as in XLA's Delinearize, or empty in the tail.
  struct Slot {
    std::vector<i64> index;
    bool padding = false;
  };
  [[nodiscard]] Slot at(i64 slot) const;
  // The index in a slot; a Diag if the slot is outside the array or padding.
  [[nodiscard]] Result<std::vector<i64>> indexOf(i64 slot) const;

 private:
  Shape shape_;
  Expansion expansion_;
  std::vector<i64> strides_;  // of the final dims
  i64 elements_ = 0, slots_ = 0, tiledSlots_ = 0, bytes_ = 0;
};

struct Sizes {
  i64 elements = 0;                  // without padding
  i64 slots = 0;                     // with all tiles, and L
  i64 storedBits = 0;                // per slot
  i64 bytes = 0;                     // of the slots
  double waste = 0;                  // percentage of padding slots
  std::optional<i64> arraySize;      // bytes, by ShapeUtil::ArraySize; nullopt for `*`
  std::optional<i64> arrayDataSize;  // bytes, by ShapeUtil::ArrayDataSize
};
// Summed over the arrays of a tuple.
[[nodiscard]] Result<Sizes> sizesOf(const Shape& shape);
// "15 elements, 24 slots of 32 bits, 96 bytes, 37.5 % padding", and XLA's number if it differs.
[[nodiscard]] std::string describe(const Sizes& sizes);

// LayoutUtil::LinearIndex: the first tile only, the index itself for rank 1. nullopt for `*`.
[[nodiscard]] std::optional<i64> topTileLinear(const Shape& shape, std::span<const i64> index);
// LayoutUtil::MaxSplitSize of a logical dimension.
[[nodiscard]] i64 maxSplitSize(const Shape& shape, std::size_t dim);
// Whether the tiles have no effect: there is no padding, and the addresses are the same without tiles.
[[nodiscard]] bool isUntiled(const Shape& shape);
// ShapeUtil::UnpackedByteStrides: by minor to major, whole bytes per element, no tiles.
[[nodiscard]] Result<std::vector<i64>> unpackedByteStrides(const Shape& shape);

// Index digits d0 .. over the logical dimensions, and an axis "m" whose extent is the number of slots. Padding needs no
// guard, because slots that no index reaches are holes. A shape with a dimension of size 0 has no map.
[[nodiscard]] Result<Map> toMap(const Shape& shape);
// The inverse: digit "slot", axes d0 .. with the dimensions' extents; guards mark the real slots.
[[nodiscard]] Result<Map> physicalMap(const Shape& shape);

}  // namespace tessera::xla
