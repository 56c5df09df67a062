// An index function before it is text: names, ranges and formulas, in no language yet.
//
//     ((2,2),8):((1,16),2)    offset(i, j) = i floordiv 2 * 16 + i mod 2 + j * 2        i in [0, 3], j in [0, 7]
//     back                    offset_inverse(offset) = (offset floordiv 16 * 2 + ..., ...), hit where ...
//
// Digit k of a formula is parameter k: a coordinate as people count it (lo included), a replica's number, or, of an
// inverse, a place. Params follow behind. All values are simplified over the box of the ranges.
// Law: values[a] at a point of the box is axis a of the arrow's map there; the inverse at the values of a real point is
// that point, and `hit` holds exactly for the places of real points.
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
  std::vector<IndexParameter> parameters;  // coordinates and replicas first, `sizes` of them symbolic sizes behind
  std::size_t sizes = 0;
  std::vector<IndexValue> values;
  bool back = false;      // an inverse: its results are coordinates of the other function
  std::string predicate;  // the name of the function that says whether all guards hold: NAME_inside, NAME_hit
  std::vector<Guard> guards;
  std::vector<std::string> remarks;  // of the comment: a sentence each
  [[nodiscard]] Environment box() const;
};

struct IndexFunctions {
  IndexFunction forward;
  std::optional<IndexFunction> inverse;
  std::string noInverse;  // why there is none
};

// A Diag for names that are no identifiers, and for formulas that leave 64 bits.
[[nodiscard]] Result<IndexFunctions> indexFunctions(const Arrow& arrow, std::string_view name);

// An identifier of C, C++ and Python that is like `wanted` and none of `taken`.
[[nodiscard]] std::string identifierLike(std::string_view wanted, const std::vector<std::string>& taken);
[[nodiscard]] bool isIdentifier(std::string_view text);

}  // namespace tessera::codegen
