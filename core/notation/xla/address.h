// Addressing: index <-> address of an XLA array, including nested tiles and padding.
//
//     dims, idx := dimensions and index, major to minor
//     for each tile (t_1..t_k): merge dimensions joined by *; prepend ones if k > rank; for the last k dims
//         dims := prefix ++ ceil(d_j / t_j) ++ t_j          idx := prefix ++ e_j floordiv t_j ++ e_j mod t_j
//     linear := row-major of idx in dims                    (slots; times the stored bits gives the bit address)
//
//     f32[3,5]{1,0:T(2,2)} at (2,3): idx 1 1 0 1 in 2 3 2 2 -> 17;  24 slots, 15 real, 37.5 % padding
//
// XLA's own helpers disagree with each other; Sizes and topTileLinear report each one's number:
//     LinearIndexForNestedTiling, Delinearize   all tiles: this file's numbers
//     ShapeUtil::ArraySize                      the first tile only (misses a padding sub-tile); L only if tiled; the
//                                               largest piece of SC
//     LayoutUtil::LinearIndex, ArrayDataSize    the first tile only; for rank 1 the index itself
//     IndexUtil, bitcasts                       no tiles
// None of them implements `*`.
//
// Laws: linear is injective; at(linear(i)) == i; slots - elements slots are padding.
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
  Addressing() = default;  // empty; use create
  // A Diag for shapes without addresses: tuples, tokens, arrays with a `?` dimension.
  [[nodiscard]] static Result<Addressing> create(const Shape& shape);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Expansion& expansion() const { return expansion_; }
  [[nodiscard]] i64 elements() const { return elements_; }
  [[nodiscard]] i64 slots() const { return slots_; }            // with the tail alignment L
  [[nodiscard]] i64 tiledSlots() const { return tiledSlots_; }  // without L
  [[nodiscard]] i64 bytes() const { return bytes_; }            // of all slots

  // linear requires one index inside each dimension; locate returns a Diag otherwise.
  [[nodiscard]] i64 linear(std::span<const i64> index) const;
  [[nodiscard]] Result<i64> locate(std::span<const i64> index) const;

  // The content of a slot. Padding: `index` is out of bounds, as returned by XLA's Delinearize (empty in the tail).
  struct Slot {
    std::vector<i64> index;
    bool padding = false;
  };
  [[nodiscard]] Slot at(i64 slot) const;
  // The index in a slot. A Diag: the slot is outside, or padding.
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
// "15 elements, 24 slots of 32 bits, 96 bytes, 37.5 % padding", and XLA's own number if it differs.
[[nodiscard]] std::string describe(const Sizes& sizes);

// LayoutUtil::LinearIndex: the first tile only, the index itself for rank 1. nullopt for `*`.
[[nodiscard]] std::optional<i64> topTileLinear(const Shape& shape, std::span<const i64> index);
// LayoutUtil::MaxSplitSize of a logical dimension; MaxElementsInPerSplit.
[[nodiscard]] i64 maxSplitSize(const Shape& shape, std::size_t dim);
[[nodiscard]] i64 maxElementsPerSplit(const Shape& shape);
// Whether the tiles have no effect: the addresses are those of the same order without tiles, and there is no padding.
[[nodiscard]] bool isUntiled(const Shape& shape);
// ShapeUtil::UnpackedByteStrides: by minor to major, whole bytes per element, no tiles.
[[nodiscard]] Result<std::vector<i64>> unpackedByteStrides(const Shape& shape);

// Index digits d0 .. over the logical dimensions, axis "m" with the slot count as its extent. Padding needs no guard:
// slots that no index reaches are holes. A shape with a dimension of size 0 has no map.
[[nodiscard]] Result<Map> toMap(const Shape& shape);
// The inverse: digit "slot", axes d0 .. with the dimensions' extents; guards mark the real slots.
[[nodiscard]] Result<Map> physicalMap(const Shape& shape);

}  // namespace tessera::xla
