// IndexingMap: XLA's map between the elements of two tensors, as its indexing analysis prints it.
//
//     (d0, d1)[s0]{rt0} -> (d0, s0 + 3, d1 + rt0), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 1], rt0 in [0, 6],
//                                                          d0 + s0 in [0, 9]
//
// d: the coordinate that is asked for. s: a range variable, ranged over, so that the map is a set of elements (a sum
// reads them all). rt: a runtime variable, one unknown value, the same for the whole map. The domain is a closed box
// for every variable and inequalities `expr in [lo, hi]`; a point outside has no image.
//
// Read: + - * / floordiv ceildiv mod min(,) max(,), unary minus, any variable names, a trailing comma. `/` is floordiv;
// `a mod b` is in [0, |b|). The domain must be there when there are variables. A `is_simplified: true` tail is passed
// by. min and max become floordiv by more than the values' range: min(a, b) = b + (b - a) * ((a - b) floordiv 2^k).
//
// It is not a Map: variables may start below 0, the domain may be empty, and a runtime variable is bound to an
// instruction. toMap shifts every digit to start at 0.
// Laws: print(parse(print(m))) == print(m), and both have the same points and values; toMap(simplified(m)) and toMap(m)
// are the same set of (point -> image).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

struct IndexingVariable {
  std::string name;
  i64 lo = 0, hi = 0;  // hi < lo: the domain is empty
  bool operator==(const IndexingVariable&) const = default;
};

struct IndexingMap {
  std::vector<IndexingVariable> dims, ranges, runtimes;
  // Expressions over digits (dims, then ranges) and params (runtimes), in the variables' own values.
  std::vector<Expr> results;
  std::vector<Guard> constraints;
  bool empty = false;      // KNOWN EMPTY: the domain has no point
  bool undefined = false;  // UNDEFINED: the analysis could not say; every operation on it is undefined too
  bool operator==(const IndexingMap&) const = default;
};

[[nodiscard]] Result<IndexingMap> parseIndexingMap(std::string_view text);
// "KNOWN EMPTY" when no point is left.
[[nodiscard]] std::string print(const IndexingMap& map);

// Index digits, then range variables as Fan digits, then runtime variables as parameters; axes without names (named
// axes keep theirs on the way back). Refused for an empty domain.
[[nodiscard]] Result<Map> toMap(const IndexingMap& map);
[[nodiscard]] IndexingMap toIndexingMap(const Map& map);

// The same points and values, with simpler expressions: constraints that always hold vanish, those on one variable
// tighten its box, and a domain without a point becomes KNOWN EMPTY (found by bounds, and by enumeration up to 2^16
// points). Every step is exact; XLA's simplifier has rules that are not.
[[nodiscard]] IndexingMap simplified(const IndexingMap& map);
// x -> second(first(x)): first's dims; second's range variables, then first's; points where a result of first leaves
// second's box drop out.
[[nodiscard]] Result<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second);

[[nodiscard]] Environment environmentOf(const IndexingMap& map);

}  // namespace tessera
