// refined: splits digits where the axes split them, so that floordiv and mod become sums of strides.
//
//     i in [0,5):  offset = (i floordiv 2) * 16 + i mod 2
//     parts        i = i_0 + 2*i_1,  i_0 in [0,2), i_1 in [0,3), guard i_0 + 2*i_1 <= 4
//                  offset = i_1 * 16 + i_0
//
// Law: refined(f).map(parts) == f(digits(parts)) for every real point of the parts; both have the same number of real
// points. Cuts that do not divide one another (by 2 and by 3) are not a mixed radix: nullopt.
#pragma once

#include <optional>
#include <vector>

#include "core/map/map.h"

namespace tessera {

struct Refined {
  Map map;                                // parts of digit 0 (fastest first), parts of digit 1 ...
  std::vector<Expr> digits;               // digit k of the original over the parts
  std::vector<std::vector<int>> partsOf;  // the parts of digit k, fastest first
  bool even = true;                       // no guard was added
};
// nullopt: no axis splits a digit, or the cuts do not nest.
[[nodiscard]] std::optional<Refined> refined(const Map& map);

// For an axis that is a bit matrix of one value: axis ==
// post(inner), post over Digit 0, linear over bits and injective.
//
//     Sw<3,3,3> o (6,64):(72,1)      inner = i*72 + j,  post = x xor (x floordiv 64 mod 8)*8 on 9 bits
//
// inner is the largest sub-expression without xor, else the smallest one; nullopt if the axis has no xor.
struct Outer {
  Expr post, inner;
  i64 top = 0;  // inner lies in [0, top]
};
[[nodiscard]] std::optional<Outer> outerOf(const Map& map, int axis);

}  // namespace tessera
