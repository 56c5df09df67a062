// Index formula: an indexing expression in C, as a layout.
//
//     S(row, col) = row * 64 + (col ^ ((row & 7) << 3)) over (64, 64)
//
// Parameters are the coordinates, from 0 to their extent in `over`; the body is an expression (expression.h) with C's
// operators, precedence and truncating division. The value is one axis "offset" whose extent is its largest value + 1,
// like a layout's cosize (beyond 2^20 points: an upper bound; none if the value can be negative). So S is a map like
// any other: it can be applied, drawn, proved injective, or compared with a layout of any notation.
// Law: the map's value at every coordinate is C's value of the body on integers that do not overflow; the formula is
// refused if a sub-expression can exceed 64 bits.
// Not a program: no variables except the parameters, no calls except min and max.
#pragma once

#include <string>
#include <string_view>

#include "core/notation/indexing/map.h"

namespace tessera::indexing {

struct IndexFormula {
  std::string name;  // "S"
  IndexingMap map;
};

// Whether the text begins with NAME(NAMES) = and no second '='. Reads a bounded number of bytes.
[[nodiscard]] bool opensFormula(std::string_view text);
[[nodiscard]] Result<IndexFormula> parseFormula(std::string_view text);

}  // namespace tessera::indexing
