// Operations that make maps from maps. All are substitution; none looks at a notation.
//
//     inner: i in [0,4) -> x = i*2          outer: x in [0,8) -> offset = x xor 1
//     then(inner, outer): i in [0,4) -> offset = (i*2) xor 1
//
// Laws: then(f, g)(p) == g(f(p)) for every real p of f whose image lies in g's domain;
//       linearized(f, order)(linearize(p)) == f(p); splitDim and fuseDims keep the value at every point.
// A digit that these operations make counts from lo 0; digits that they leave alone keep theirs.
#pragma once

#include <span>
#include <string>

#include "core/base/result.h"
#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

// outer after inner. inner's axes bind to outer's Index digits, as coordinates: by name when every digit finds an axis
// of its name, else by position when the counts agree, else, when inner has one axis, by splitting its value
// colexicographically over outer's digits (the last digit takes what remains, unreduced, as CuTe does). Refuses when
// inner's values can leave a digit's range (the message has both ranges), except above the last digit of a
// colexicographic split and when `extend` says that outer's formula may be continued beyond its box. Fan digits and
// guards of both survive; equal parameter names are one parameter, and a Fan digit of outer whose name inner has gets
// another. A guard of inner on the very value that is bound narrows what it can reach.
[[nodiscard]] Result<Map> then(const Map& inner, const Map& outer, bool extend = false);

// outer after inner where inner's values may leave outer's box: such points drop out (XLA's composition). Binds by
// position. Digits: inner's Index digits, outer's Fan digits, inner's Fan digits; parameters: outer's, then inner's,
// each its own (renamed s0.. and rt0.. when names meet). Ensures: the real points are those p of inner with inner(p) a
// real coordinate of outer, and the values there are outer's. The result is simplified.
[[nodiscard]] Result<Map> thenInside(const Map& inner, const Map& outer);

// Digit k of extent n becomes (high of n/inner, low of inner), low fastest: d = high*inner + low. Requires inner | n.
[[nodiscard]] Result<Map> splitDim(const Map& map, int digit, i64 inner);
// Neighbouring digits k, k+1 become one: first-fastest (Colex) or last-fastest (Lex). Requires the same kind.
[[nodiscard]] Result<Map> fuseDims(const Map& map, int digit, LinearOrder order);
// One Index digit "i" of extent size() stands for all Index digits; Fan digits stay.
[[nodiscard]] Result<Map> linearized(const Map& map, LinearOrder order);

// Digit k runs over [lo, hi] of its old digits only, and its coordinates count from 0: result(d) == map(d + lo).
[[nodiscard]] Result<Map> restricted(const Map& map, int digit, i64 lo, i64 hi);
// New names, one for every digit and axis, in order.
[[nodiscard]] Result<Map> renamed(const Map& map, std::span<const std::string> digitNames,
                                  std::span<const std::string> axisNames);
[[nodiscard]] Result<Map> withGuard(const Map& map, Guard guard);
// Every axis and guard simplified over the map's box; guards that always hold vanish. The digits stay as they are.
[[nodiscard]] Map withSimplerValues(const Map& map);
// The same points and values, as plainly as we can: values and guards simplified in coordinates; guards on one variable
// tighten its range (its lo, too), guards on one value are joined, and a domain without a point is found by bounds, and
// by enumeration up to 2^16 points (simplify.cpp). Every step is exact; XLA's simplifier has rules that are not.
[[nodiscard]] Map simplified(const Map& map);
// The same digits and axes, and no real point.
[[nodiscard]] Map emptied(const Map& map);
// The box: ranges of digits (from 0) and parameters. coordinates.h has the ranges with lo added.
[[nodiscard]] Environment environmentOf(const Map& map);

}  // namespace tessera
