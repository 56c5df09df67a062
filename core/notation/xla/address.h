// Where an element lies: index <-> address of an XLA array, nested tiles and padding included.
//
//     dims, idx := dimensions and index, major to minor
//     for each tile (t_1..t_k): merge what * joins; prepend ones when k > rank; for the last k dims
//         dims := prefix ++ ceil(d_j / t_j) ++ t_j          idx := prefix ++ e_j floordiv t_j ++ e_j mod t_j
//     linear := row-major of idx in dims                    (slots; times the stored bits gives the bit address)
//
//     f32[3,5]{1,0:T(2,2)} at (2,3): idx 1 1 0 1 in 2 3 2 2 -> 17;  24 slots, 15 real, 37.5 % padding
//
// XLA's own helpers disagree with each other; Sizes and topTileLinear say which number is whose:
//     LinearIndexForNestedTiling, Delinearize   all tiles: this file's numbers
//     ShapeUtil::ArraySize                      the first tile only (a padding sub-tile is missed); L only when tiled;
//                                               the largest piece of SC
//     LayoutUtil::LinearIndex, ArrayDataSize    the first tile only; rank 1 is the index itself
//     IndexUtil, bitcasts                       no tiles at all
// None of them implements `*`.
//
// Laws: linear is injective; at(linear(i)) == i; slots - elements slots hold padding.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/map/map.h"
#include "core/notation/xla/expand.h"
#include "core/notation/xla/shape.h"

namespace tessera::xla {

class Addressing {
 public:
  Addressing() = default;  // of nothing; create makes one
  // Refuses what has no addresses: tuples, tokens, arrays with a `?` dimension.
  [[nodiscard]] static Result<Addressing> create(const Shape& shape);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Expansion& expansion() const { return expansion_; }
  [[nodiscard]] i64 elements() const { return elements_; }
  [[nodiscard]] i64 slots() const { return slots_; }            // with the tail alignment L
  [[nodiscard]] i64 tiledSlots() const { return tiledSlots_; }  // without
  [[nodiscard]] i64 bytes() const { return bytes_; }            // of all slots

  // Requires one index inside each dimension (linear); locate has the Diag.
  [[nodiscard]] i64 linear(std::span<const i64> index) const;
  [[nodiscard]] Result<i64> locate(std::span<const i64> index) const;

  // What lies in a slot. Padding: `index` is out of bounds as XLA's Delinearize returns it (empty in the tail).
  struct Slot {
    std::vector<i64> index;
    bool padding = false;
  };
  [[nodiscard]] Slot at(i64 slot) const;
  // The index in a slot, or a Diag: outside, or padding.
  [[nodiscard]] Result<std::vector<i64>> indexOf(i64 slot) const;

 private:
  Shape shape_;
  Expansion expansion_;
  std::vector<i64> strides_;  // of the final dims
  i64 elements_ = 0, slots_ = 0, tiledSlots_ = 0, bytes_ = 0;
};

struct Sizes {
  i64 elements = 0;                  // real ones
  i64 slots = 0;                     // all tiles, and L
  i64 storedBits = 0;                // of a slot
  i64 bytes = 0;                     // of the slots
  double waste = 0;                  // percent of the slots that hold padding
  std::optional<i64> arraySize;      // bytes, by ShapeUtil::ArraySize; nullopt for `*`
  std::optional<i64> arrayDataSize;  // bytes, by ShapeUtil::ArrayDataSize
};
// Sums over the arrays of a tuple.
[[nodiscard]] Result<Sizes> sizesOf(const Shape& shape);
// "15 elements, 24 slots of 32 bits, 96 bytes, 37.5 % padding", and XLA's own number where it differs.
[[nodiscard]] std::string describe(const Sizes& sizes);

// LayoutUtil::LinearIndex: the first tile only, the index itself for rank 1. nullopt for `*`.
[[nodiscard]] std::optional<i64> topTileLinear(const Shape& shape, std::span<const i64> index);
// LayoutUtil::MaxSplitSize of a logical dimension; MaxElementsInPerSplit.
[[nodiscard]] i64 maxSplitSize(const Shape& shape, std::size_t dim);
[[nodiscard]] i64 maxElementsPerSplit(const Shape& shape);
// The tiles change nothing: addresses are those of the same order without tiles, and nothing is padded.
[[nodiscard]] bool isUntiled(const Shape& shape);
// ShapeUtil::UnpackedByteStrides: by minor to major, whole bytes an element, no tiles.
[[nodiscard]] Result<std::vector<i64>> unpackedByteStrides(const Shape& shape);

// Index digits d0 .. over the logical dimensions, axis "m" with the slots as its extent. Padding needs no guard: the
// slots that no index reaches are the holes. A dimension of size 0 has no map.
[[nodiscard]] Result<Map> toMap(const Shape& shape);
// The other way: digit "slot", axes d0 .. as long as the dimensions; guards say which slots are real.
[[nodiscard]] Result<Map> physicalMap(const Shape& shape);

}  // namespace tessera::xla
