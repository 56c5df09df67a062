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
#pragma once

#include <string>
#include <vector>

#include "core/base/arith.h"
#include "render/draw/subject.h"

namespace tessera {

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
