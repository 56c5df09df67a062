// Arrow: a layout as every consumer reads it, a Map between two spaces.
//
//     (4,8):(8,1)                    Elements(4,8) -> Memory        (i0, i1) -> offset: i0 * 8 + i1
//     #blocked over (16,8)           Hardware -> Elements(16,8)     (register, lane) -> (dim0, dim1)
//     S[(16,8):(8,1)] over (16,8)    Elements(16,8) -> Memory
//
// Law: the Index digits of `map` are the digits of from.modes, mode by mode in order, with the same extents; the axes of
// `map` are the coordinates of `to`, in order (to.modes is empty or has one mode an axis).
//
// Views, claims, searches, the inspector and the translations take arrows and nothing else; what a question needs they
// get by composing arrows and, where one runs the other way, by a converse (turned). Why not the notation itself: forty
// places once asked "is this a CuTe layout?", and what came last (XLA) was forgotten in half of them.
//
// It is not a notation: the profile of a shape and its algebra stay with the notation's own value (core/notation).
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

// An arrow whose modes are the map's Index digits, one a mode, and whose target has the map's axes.
[[nodiscard]] Arrow arrowOf(Map map, SpaceKind from, LinearOrder order, SpaceKind to);

// Product of the modes of `from`; nullopt beyond 2^63-1.
[[nodiscard]] std::optional<i64> sizeOf(const Arrow& arrow);
// Coordinates -> one address: what the memory views, the bank model and `find` read.
[[nodiscard]] bool isMemory(const Arrow& arrow);
// Hardware on one side, elements on the other.
[[nodiscard]] bool isDistribution(const Arrow& arrow);

// One number a mode -> one number a digit of the map (Fan digits 0). Requires numbers inside the modes.
[[nodiscard]] std::vector<i64> digitsAt(const Arrow& arrow, std::span<const i64> coord);

// The map over other Index digits: digit k of the old one is indexValues[k] over the new ones; Fan digits follow behind.
[[nodiscard]] Result<Map> overDigits(const Map& map, std::vector<Digit> digits, const std::vector<Expr>& indexValues,
                                     std::vector<Axis> axes);
// Whether some mode has several digits, or none.
[[nodiscard]] bool isNested(const Arrow& arrow);
// One digit a mode: a nested mode ((2,2) of CuTe) is one number, which the map cuts itself. Every variable has a name
// of its own.
[[nodiscard]] Result<Arrow> withWholeModes(const Arrow& arrow);
// The same, the values simplified: ((4,2)):((1,4)) is i0. As it is where no mode nests.
[[nodiscard]] Result<Arrow> withSimplerModes(const Arrow& arrow);

// The other way round: y in arrow(x) <=> x in turned(arrow)(y), by a computed inverse of the map; set-valued where two
// coordinates share a place, guarded where a place is not hit. A Diag where there is no formula for it.
[[nodiscard]] Result<Arrow> turned(const Arrow& arrow);

}  // namespace tessera
