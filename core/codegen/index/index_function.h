// Index function: the names, ranges and formulas of index code, independent of the language.
//
//     ((2,2),8):((1,16),2)    offset(i, j) = i floordiv 2 * 16 + i mod 2 + j * 2        i in [0, 3], j in [0, 7]
//     inverse                 offset_inverse(offset) = (offset floordiv 16 * 2 + ..., ...), hit where ...
//
// Digit k of a formula is parameter k: a coordinate (including its lo), a replica's number or, for an inverse, a place.
// Symbolic sizes are params. All values are simplified over the box of the ranges.
// Laws: values[a] at a point of the box is axis a of the arrow's map at that point; the inverse maps the values of a
// real point back to the point, and `hit` holds exactly for the places of real points.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/expr/facts.h"
#include "core/layout/arrow.h"

namespace tessera::codegen {

struct IndexParameter {
  std::string name;  // an identifier of C and Python
  Range range;
  std::string remark;  // "over (2,2), the first fastest", "which copy", "a size"
};

struct IndexValue {
  std::string name;
  Expr value;
};

struct IndexFunction {
  std::string name;
  std::vector<IndexParameter> parameters;  // coordinates and replicas, then `sizes` symbolic sizes
  std::size_t sizes = 0;
  std::vector<IndexValue> values;
  bool back = false;      // an inverse: its results are coordinates of the forward function
  std::string predicate;  // the function that tests all guards: NAME_inside, NAME_hit
  std::vector<Guard> guards;
  std::vector<std::string> remarks;  // for the comment, one sentence each
  [[nodiscard]] Environment box() const;
};

struct IndexFunctions {
  IndexFunction forward;
  std::optional<IndexFunction> inverse;
  std::string noInverse;  // why there is no inverse
};

// A Diag: the name is not an identifier, or a formula exceeds 64 bits.
[[nodiscard]] Result<IndexFunctions> indexFunctions(const Arrow& arrow, std::string_view name);

// The names of the parameters, in order.
[[nodiscard]] std::vector<std::string> namesOf(const IndexFunction& f);
// An identifier of C, C++ and Python that is similar to `wanted` and not in `taken`.
[[nodiscard]] std::string identifierLike(std::string_view wanted, const std::vector<std::string>& taken);
[[nodiscard]] bool isIdentifier(std::string_view text);

// Index proof: proves that an inverse function inverts its forward function.
//
//     offset = i * 64 + j,  back = (offset floordiv 64, offset mod 64)       back o forward simplifies to (i, j)
//     a swizzle                                                              back o forward has the identity bit matrix
//     any other small function                                               every coordinate is tried
//
// Law: if the result is not a Diag, back(forward(c)) == c for every coordinate c that meets forward's guards. The
// result states how this was proved.

// "Proved: tried at all 24 coordinates." A Diag: no proof found.
[[nodiscard]] Result<std::string> shownInverse(const IndexFunction& forward, const IndexFunction& back);

}  // namespace tessera::codegen
