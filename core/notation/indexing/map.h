// IndexingMap: XLA's map between the elements of two tensors,
// in the format of its indexing analysis. A notation for Map.
//
//     (d0, d1)[s0]{rt0} -> (d0, s0 + 3, d1 + rt0), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 1], rt0 in [0, 6],
//                                                          d0 + s0 in [0, 9]
//
// d: a queried coordinate, an Index digit. s: a range variable, a Fan digit: the image is a set of elements (a sum
// reads them all). rt: a run-time variable, a parameter of the map with one unknown value. The domain is a closed box
// for every variable (d0 in [3, 9] is a digit with lo 3) and inequalities `expr in [lo, hi]`, the guards; a point
// outside has no image. Map operations (compose, simplify, prove) are in core/map; this file reads and prints.
//
// Accepts everything in expression.h, with / and % as floordiv and mod; any variable names; named results (`lane: d0 *
// 4`); a trailing comma. The domain is required if there are variables. A trailing `is_simplified: true` is ignored.
//
// Not bound to instructions: a run-time variable is a number in a range, regardless of what computes it.
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
  bool undefined = false;  // UNDEFINED: the analysis failed; every operation on it is undefined too
  bool operator==(const IndexingMap&) const = default;
};

[[nodiscard]] Result<IndexingMap> parse(std::string_view text);
// The map that begins at the cursor (core/base/cursor.h).
[[nodiscard]] Result<std::optional<IndexingMap>> parsePrefix(Cursor& in);
[[nodiscard]] std::string print(const IndexingMap& map);

// A Diag if it is undefined.
[[nodiscard]] Result<Map> toMap(const IndexingMap& map);
// In XLA's form: Index digits first, results without names.
[[nodiscard]] IndexingMap toIndexingMap(const Map& map);
[[nodiscard]] IndexingMap simplified(const IndexingMap& map);
// x -> second(first(x)), as thenInside in core/map/compose.h.
[[nodiscard]] Result<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second);

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
struct IndexFormula {
  std::string name;  // "S"
  IndexingMap map;
};

// Whether the text begins with NAME(NAMES) = and no second '='. Reads a bounded number of bytes.
[[nodiscard]] bool opensFormula(std::string_view text);
[[nodiscard]] Result<IndexFormula> parseFormula(std::string_view text);

}  // namespace tessera::indexing
