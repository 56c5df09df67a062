// An XLA array as used by the views: units, words, hues (Array), and its three lazy grids.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/arith.h"
#include "core/map/tabulate.h"
#include "core/notation/xla/address.h"
#include "render/draw/grid/modes.h"
#include "render/figure/figure.h"

namespace tessera::xla_draw {

constexpr i64 kAveraged = 1024;  // longer sides are averaged by inks

enum class Colour : unsigned char { Tile, Address, Padding };
enum class Label : unsigned char { Slot, Coord };

inline constexpr Words<Colour, 3> kColourWords = {
    {{"tile", Colour::Tile}, {"address", Colour::Address}, {"padding", Colour::Padding}}};
inline constexpr Words<Label, 2> kLabelWords = {{{"slot", Label::Slot}, {"coord", Label::Coord}}};
inline constexpr Words<std::optional<bool>, 2> kColumnWords = {{{"all", false}, {"brief", true}}};

// Shared by the three views of one array.
struct Array {
  xla::Addressing addressing;
  std::vector<i64> sizes;
  u64 domain = 0;
  i64 unit = 1;                                  // slots of a top tile
  i64 unitsAcross = 1;                           // tiles along the most minor dimension
  i64 hueDown = 1, hueAcross = 1;                // tiles per hue: a block of them if there are too many to distinguish
  i64 width = 1;                                 // words per row of a unit
  i64 pack = 1;                                  // elements per word
  bool padded = false;                           // some slot is padding
  std::shared_ptr<const PointEvaluator> slotOf;  // addressing.linear, compiled: the hot path of zoomed-out pictures
  Colour colour = Colour::Tile;
  Label label = Label::Slot;
  std::optional<bool> brief;  // show only the ends of long rows; unset: the view's default

  [[nodiscard]] Paint paintOf(i64 slot, bool padding) const {
    if (colour == Colour::Padding) return padding ? Paint{Role::Heat, 0, 0, 1.0F} : Paint{Role::Group, 0, 0, 0};
    if (padding) return {Role::Padding};
    if (colour == Colour::Address) {
      const i64 eighth = std::max<i64>(ceilDiv(addressing.slots(), 8), 1);
      return groupPaint(slot / eighth,
                        static_cast<i64>(static_cast<double>(slot % eighth) * 4 / static_cast<double>(eighth)));
    }
    const i64 number = slot / unit, word = slot % unit / pack;
    const i64 down = number / unitsAcross, across = number % unitsAcross;
    const i64 step = hueDown * hueAcross > 1 ? down + across : word / width;
    return groupPaint(down / hueDown % 8 * 3 + across / hueAcross, step % 2);
  }
  [[nodiscard]] Point pointOf(const std::vector<i64>& index) const {
    return {domain, linearize(index, sizes, LinearOrder::Colex)};
  }
  [[nodiscard]] std::vector<i64> indexOf(Point point) const {
    return delinearize(point.index, sizes, LinearOrder::Colex);
  }
  [[nodiscard]] bool owns(Point point) const { return point.isIn(domain, addressing.elements()); }
};
using ArrayPtr = std::shared_ptr<const Array>;

// The view "address" of one array (flow.cpp).
[[nodiscard]] Result<Figure> addressFigure(const xla::Shape& shape, const DrawOptions& options);

// "2,3"
[[nodiscard]] std::string bare(const std::vector<i64>& index);
// Words: tile address padding slot coord all brief. A number sets slotsARow, if not null. Anything else is a Diag.
[[nodiscard]] Result<ArrayPtr> arrayOf(const xla::Shape& shape, const std::vector<std::string>& words, i64* slotsARow);
// The top tile's size along the n-th most minor dimension; 1 if it does not cut it, or merges.
[[nodiscard]] i64 tileOf(const Array& array, std::size_t minor);

// The index space, surrounded by the tiles' padding, which the page's rows and columns include.
[[nodiscard]] std::shared_ptr<const CellSource> tensorCells(ArrayPtr array, ModePage page);
// Slots in order, `width` per row.
[[nodiscard]] std::shared_ptr<const CellSource> slotCells(const ArrayPtr& array, i64 width);
// Units as rectangles of words, arranged like the tiles.
[[nodiscard]] std::shared_ptr<const CellSource> wordCells(const ArrayPtr& array);

}  // namespace tessera::xla_draw
