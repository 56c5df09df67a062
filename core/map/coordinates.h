// Digits and coordinates: a digit counts from 0; the coordinate shown to users counts from the digit's lo.
//
//     d0 in [3, 9]:  lo = 3, digit = d0 - 3     digit * 8 + 24   is   d0 * 8
//
// Laws: overDigits(inCoordinates(e)) has e's value at every digit; inCoordinates(overDigits(e)) == e unless e adds
// constants to a shifted variable that fold. Both are the identity if every lo is 0.
#pragma once

#include <span>

#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

// The same value with digit k denoting its coordinate; constants left by the shifts are folded into their sum, so digit
// + lo becomes the bare variable.
[[nodiscard]] Expr inCoordinates(const Expr& e, std::span<const Digit> digits);
// The inverse: coordinate k becomes digit k + lo.
[[nodiscard]] Expr overDigits(const Expr& e, std::span<const Digit> digits);
// Ranges of the coordinates and the parameters.
[[nodiscard]] Environment coordinateBox(const Map& map);

}  // namespace tessera
