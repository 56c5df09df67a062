// Arrow: the form in which every consumer reads a layout: a Map between two spaces.
//
//     (4,8):(8,1)                    Elements(4,8) -> Memory        (i0, i1) -> offset: i0 * 8 + i1
//     #blocked over (16,8)           Hardware -> Elements(16,8)     (register, lane) -> (dim0, dim1)
//     S[(16,8):(8,1)] over (16,8)    Elements(16,8) -> Memory
//
// Law: the Index digits of `map` are the digits of from.modes, mode by mode in order, with the same extents; the axes
// of `map` are the coordinates of `to`, in order (to.modes is empty or has one mode per axis).
//
// Views, claims, searches, the inspector and the translations take only arrows; they compose arrows and invert one that
// runs the other way (turned). Why not the notation itself: forty places once tested "is this a CuTe layout?", and half
// of them missed the notation added last (XLA).
//
// It is not a notation: the profile of a shape and its algebra belong to the notation's own value (core/notation).
#pragma once

#include "core/base/result.h"
#include "core/layout/space.h"
#include "core/map/map.h"

namespace tessera {

struct Arrow {
  Space from;
  Map map;
  Space to;
  bool operator==(const Arrow&) const = default;
};

// An arrow with one mode per Index digit of the map, whose target has the map's axes.
[[nodiscard]] Arrow arrowOf(Map map, SpaceKind from, LinearOrder order, SpaceKind to);

// Product of the modes of `from`; nullopt above 2^63-1.
[[nodiscard]] std::optional<i64> sizeOf(const Arrow& arrow);
// Coordinates -> one address, as the memory views, the bank model and `find` need.
[[nodiscard]] bool isMemory(const Arrow& arrow);
// Hardware on one side, elements on the other.
[[nodiscard]] bool isDistribution(const Arrow& arrow);

// One number per mode -> one number per digit of the map (Fan digits 0). Requires numbers inside the modes.
[[nodiscard]] std::vector<i64> digitsAt(const Arrow& arrow, std::span<const i64> coord);

// The map over other Index digits: digit k of the old map is indexValues[k] over the new ones; Fan digits follow.
[[nodiscard]] Result<Map> overDigits(const Map& map, std::vector<Digit> digits, const std::vector<Expr>& indexValues,
                                     std::vector<Axis> axes);
// Whether some mode has several digits, or none.
[[nodiscard]] bool isNested(const Arrow& arrow);
// One digit per mode: a nested mode ((2,2) of CuTe) becomes one
// number, which the map splits. All variables have distinct names.
[[nodiscard]] Result<Arrow> withWholeModes(const Arrow& arrow);
// The same with simplified values: ((4,2)):((1,4)) is i0. Returns the arrow unchanged if no mode nests.
[[nodiscard]] Result<Arrow> withSimplerModes(const Arrow& arrow);

// The inverse relation: y in arrow(x) <=> x in converse(arrow)(y), by a computed inverse of the map; set-valued if two
// coordinates share a place, guarded if some place is not hit. A Diag: no formula is known.
[[nodiscard]] Result<Arrow> converse(const Arrow& arrow);

}  // namespace tessera
