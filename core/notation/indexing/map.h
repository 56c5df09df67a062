// IndexingMap: XLA's map between the elements of two tensors, as printed by its indexing analysis: a notation for Map.
//
//     (d0, d1)[s0]{rt0} -> (d0, s0 + 3, d1 + rt0), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 1], rt0 in [0, 6],
//                                                          d0 + s0 in [0, 9]
//
// d: a queried coordinate, an Index digit. s: a range variable, a Fan digit: the image is a set of elements (a sum
// reads them all). rt: a run-time variable, a parameter of the map with one unknown value. The domain is a closed
// interval for each variable (d0 in [3, 9] is a digit with lo 3), and inequalities `expr in [lo, hi]`, the guards; a
// point outside has no image. Operations on maps are in core/map; this file reads and prints.
//
// Accepts everything in expression.h, with / and % as floordiv and mod; any variable names; named results (`lane: d0 *
// 4`); and a trailing comma. The domain is required if there are variables. `is_simplified: true` at the end is
// ignored.
//
// Not tied to instructions: a run-time variable is a number in a range, no matter what computes it.
// Law: print(parse(print(m))) == print(m) for every map m, with the same points and values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera::indexing {

struct IndexingMap {
  Map map;                 // digits in any order; KNOWN EMPTY is a map that isEmpty()
  bool undefined = false;  // UNDEFINED: the analysis failed; every operation on the map is undefined too
  bool operator==(const IndexingMap&) const = default;
};

[[nodiscard]] Result<IndexingMap> parse(std::string_view text);
// The map that begins at the cursor (core/base/cursor.h).
[[nodiscard]] Result<std::optional<IndexingMap>> parsePrefix(Cursor& in);
[[nodiscard]] std::string print(const IndexingMap& map);

// A Diag if it is undefined.
[[nodiscard]] Result<Map> toMap(const IndexingMap& map);
// In XLA's form: Index digits first, unnamed results.
[[nodiscard]] IndexingMap toIndexingMap(const Map& map);
[[nodiscard]] IndexingMap simplified(const IndexingMap& map);
// x -> second(first(x)), as thenInside in core/map/compose.h.
[[nodiscard]] Result<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second);

// Index formula: a C index expression as a layout.
//
//     S(row, col) = row * 64 + (col ^ ((row & 7) << 3)) over (64, 64)
//
// The parameters are the coordinates; `over` gives their extents. The body is an expression (expression.h) with C's
// operators, precedence and truncating division. The value is one axis "offset" whose extent is the largest value + 1,
// like a layout's cosize (an upper bound above 2^20 points; none if the value can be negative). S is then a map like
// any other: it can be applied, drawn, proved injective, or compared with a layout in any notation.
// Law: the map's value at each coordinate is C's value of the body, for integers that do not overflow. A formula with a
// sub-expression that can exceed 64 bits is refused.
// It is not a program: the only variables are the parameters, the only calls are min and max.
struct IndexFormula {
  std::string name;  // "S"
  IndexingMap map;
};

// Whether the text begins with NAME(NAMES) = and no second '='. Reads a bounded number of bytes.
[[nodiscard]] bool opensFormula(std::string_view text);
[[nodiscard]] Result<IndexFormula> parseFormula(std::string_view text);

}  // namespace tessera::indexing
