// An index formula: the line of C that a kernel indexes with, read as a layout.
//
//     S(row, col) = row * 64 + (col ^ ((row & 7) << 3)) over (64, 64)
//
// Parameters are the coordinates, each from 0 to its extent in `over`; the body is an expression (expression.h) with
// C's operators, precedences and truncating division; the value is one axis "offset", whose extent is its largest
// value + 1 as a layout's cosize is (of tiles beyond 2^20 points: a bound on it; none when it can be negative). Hence
// S is a map like any other: it is applied, drawn, proved injective, compared with a layout of any notation.
// Law: the map's value at every coordinate is what C computes for the body, on integers that do not overflow; where a
// sub-expression can leave 64 bits the formula is refused.
// One thing it is not: a program. No variables but the parameters, no calls but min and max.
#pragma once

#include <string>
#include <string_view>

#include "core/notation/indexing/map.h"

namespace tessera::indexing {

struct IndexFormula {
  std::string name;  // "S"
  IndexingMap map;
};

// Whether the text begins as one: NAME(NAMES) = with no second '='. Reads a bounded number of bytes.
[[nodiscard]] bool opensFormula(std::string_view text);
[[nodiscard]] Result<IndexFormula> parseFormula(std::string_view text);

}  // namespace tessera::indexing
