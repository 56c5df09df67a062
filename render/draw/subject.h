// Subject: a layout as the views see it: its meaning as a Map, and the shape from its notation.
//
//     ((2,4),(3,2)):((1,6),(2,24))    modes {2,4} {3,2}; map (i0, i1, i2, i3) -> (offset: ...)
//
// A coordinate is one number per top-level mode; a nested mode's number is split over its leaves, leftmost fastest
// (CuTe's order). The same point in every picture is the colex linear index over the top-level extents.
// Law: value(digitsOf(c)) == its map.at(the same digits).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/arith.h"
#include "core/layout/layout.h"
#include "core/map/forms/recognise.h"
#include "core/map/map.h"
#include "core/map/tabulate.h"
#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"
#include "render/figure/figure.h"

namespace tessera {

struct Subject {
  std::string text;                        // canonical text
  std::vector<std::vector<i64>> modes;     // leaf extents of each top-level mode
  std::vector<i64> extents;                // of the top-level modes
  LinearOrder order = LinearOrder::Colex;  // which mode is fastest: the last (Lex) or the first
  i64 size = 1;
  u64 domain = 0;
  Map map;
  std::vector<int> leafDigit;  // leaf -> digit of the map (Fan digits have no leaf)
  std::shared_ptr<const PointEvaluator> evaluator;
  std::optional<cute::Swizzle> swizzle;  // the element swizzle, unless it is the identity
  std::optional<cute::Layout> inner;     // the strided part: the layout itself, or the operand of the swizzle
  i64 offset = 0;                        // added to the inner layout before the swizzle
  std::optional<cute::Layout> outer;     // A of A o offset o B
  std::vector<i64> strides;              // of the inner layout's leaves, if it is plain
  i64 least = 0, most = 0;               // bounds of axis 0 (over the swizzle's period, so possibly not attained)

  [[nodiscard]] int rank() const { return static_cast<int>(extents.size()); }
  [[nodiscard]] int axes() const { return static_cast<int>(map.axes().size()); }
  [[nodiscard]] bool hasFan() const { return leafDigit.size() != map.digits().size(); }
  // One number per top-level mode -> one per digit of the map (Fan digits 0).
  void digitsOf(const i64* coord, std::vector<i64>& digits) const;
  [[nodiscard]] i64 valueAt(const std::vector<i64>& digits, int axis = 0) const {
    return evaluator->value(digits, axis);
  }
  [[nodiscard]] std::vector<i64> coordOf(i64 index) const;  // colex
  [[nodiscard]] i64 indexOf(const std::vector<i64>& coord) const;
  [[nodiscard]] i64 valueOf(i64 index) const;
  // "10"; "3,1" for several axes; "0|4|8" for sets.
  [[nodiscard]] std::string labelAt(const std::vector<i64>& digits) const;
};

using SubjectPtr = std::shared_ptr<const Subject>;

// Returns a Diag if the layout has no arrow, unknown numbers, or more than 2^62 points. `text`: the layout's own if
// empty.
[[nodiscard]] Result<SubjectPtr> subjectOf(const Layout& layout, std::string text = {});

// Extents of the subject's leaves, in order.
[[nodiscard]] std::vector<i64> leafExtents(const Subject& subject);
// "(2,3)", rank 1: "5".
[[nodiscard]] std::string coordText(const std::vector<i64>& coord);

// Colouring: assigns the cells of a layout to groups, so that the picture shows the structure at first sight.
//
// By address (the default): memory is cut into blocks; block b gets hue b mod 8, with lightness increasing through it.
//   strided    the block is a compact prefix of the layout: the smallest strides 1, s0, s0*s1 ... multiply up;
//              the largest prefix with at least four blocks in the layout wins.
//              (8,8):(8,1) -> 8 (a row); ((2,4),(3,2)):((1,6),(2,24)) -> 6 (a tile); (64,64):(64,1) -> 64.
//   swizzled   the block is 2^M, the unit that the swizzle moves, so the xor pattern is visible.
//   otherwise  an eighth of the range, rounded up to a power of two.
// Others, by name after the view: row, column (of the picture), tile (the inner tile of nested modes), shade (address
// mod 8 in greys, as CuTe prints), plain. Law: cells of equal address have equal colour (address and shade).

enum class ColourBy : unsigned char { Address, Row, Column, Tile, Shade, Plain };

struct AddressBlocks {
  i64 block = 1;
  i64 origin = 0;
  bool steps = true;  // lightness increases through the block
  // Above 64 blocks, one hue per block would look like noise. Then one hue is an eighth of the range, and adjacent
  // blocks differ in lightness; a swizzled layout keeps its hues and uses one lightness per quarter of the range.
  i64 eighth = 0;
  [[nodiscard]] Paint paint(i64 address) const {
    const i64 v = address - origin;
    const i64 in = floorMod(v, block);
    if (eighth > 0 && steps) return groupPaint(v / eighth, floorDiv(v, block));
    if (eighth > 0) return groupPaint(floorDiv(v, block), v / eighth / 2);
    const auto step = static_cast<i64>(static_cast<double>(in) * 4 / static_cast<double>(block));
    return groupPaint(floorDiv(v, block), steps ? step : 1);
  }
};

[[nodiscard]] AddressBlocks addressBlocks(const Subject& subject);
// "the hue is the address div 64", for captions.
[[nodiscard]] std::string describe(const AddressBlocks& blocks, const Subject& subject);

}  // namespace tessera
